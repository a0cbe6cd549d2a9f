// A decoder of TBX-C1 in another language, which does what docs/tbx-c1.md says and shares no code with ours.
// `node another_decoder.mjs FILE…` decodes the messages of vector files and prints, for each, whether it did right.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

const KINDS = "claim evidence question plan observation decision revision tool_call tool_result hub_event checkpoint".split(" ");
const RELATIONS = "supports contradicts revises derived_from answers blocks refines relates_to".split(" ");
const RECORD = { i: "id", k: "kind", w: "ts", s: "session", b: "branch", g: "agent", r: "refs", c: "confidence", o: "source", a: "attrs", e: "data" };
const BODY = { x: "text", p: "cipher", l: "labels", n: "metrics" };
const SPECIAL = "~.?=#+*";
const MISSING = Symbol("missing");

const refuse = (why) => { throw new Error(`NOT_TBX: ${why}`); };
const must = (holds, why) => { if (!holds) refuse(why); };
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const areTexts = (value) => Array.isArray(value) && value.every(isText);
const has = (object, name) => Object.prototype.hasOwnProperty.call(object, name);
const put = (object, name, value) => Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });

function split(path) {
  must(!path.includes("*"), `${path} leads to many places`);
  return path.split(".").map((piece) => piece.replace(/~(.?)/gs, (_, digit) => {
    must(/^[0-6]$/.test(digit), `${path} has a ~ without a digit`);
    return SPECIAL[Number(digit)];
  }));
}

function column(head) {
  const found = /^([^?=#+]*)(\?)?(?:(=)([^?=#+]*)|(#)(.*)|(\+))?$/s.exec(head);
  must(found, `${head} is no head`);
  const [, path, optional, same, other, numbered, text, later] = found;
  return { path, names: split(path), optional: optional !== undefined, mark: same ?? numbered ?? later ?? "", argument: other ?? text ?? "" };
}

function milliseconds(text) {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) || text.startsWith("0000")) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) || new Date(ms).toISOString() !== text ? null : ms;
}

class Part {
  constructor(d, own) {
    must(d === undefined || isObject(d), "d must be an object");
    this.maps = new Map();
    for (const [path, given] of Object.entries(d ?? {})) {
      if (own.includes(path)) continue;
      const map = isText(given) ? d[given] : given;
      must(isObject(map) && Object.values(map).every(isText), `d.${path}`);
      this.maps.set(path, map);
    }
    this.unused = new Set(this.maps.keys());
    this.last = new Map();
  }

  table(cols, rows) {
    const found = this.objects(this.layouts(cols, ""), rows, "");
    must(this.unused.size === 0, "a dictionary of no column");
    return found;
  }

  layouts(cols, within) {
    if (Array.isArray(cols)) return { only: this.layout(cols, within) };
    must(isObject(cols), "cols");
    const common = this.layout(has(cols, "") ? cols[""] : [], within);
    must(common.cells.length === 0, "cells in what all rows have in common");
    const named = new Map();
    for (const [name, own] of Object.entries(cols)) {
      if (name === "") continue;
      const layout = this.layout(own, within);
      named.set(name, { cells: layout.cells, constants: [...layout.constants, ...common.constants] });
    }
    return { named };
  }

  layout(columns, within) {
    must(Array.isArray(columns), "a layout is a list");
    const cells = [], constants = [];
    for (const each of columns) {
      if (isText(each)) {
        const found = column(each);
        const dictionary = this.dictionary(within + found.path);
        must(!dictionary || found.mark === "" || found.mark === "=", "a dictionary beside a mark");
        cells.push({ ...found, dictionary });
      } else if (Array.isArray(each)) {
        must(each.length === 2 && isText(each[0]), "no column");
        const found = column(each[0]);
        must(found.mark === "" && !this.dictionary(within + found.path), "rows with a mark or a dictionary");
        cells.push({ ...found, inner: this.layouts(each[1], `${within}${found.path}.*.`) });
      } else {
        must(isObject(each), "no column");
        for (const [head, value] of Object.entries(each)) {
          const found = column(head);
          must(!found.optional && (found.mark === "" || (found.mark === "=" && value === true)), "no constant");
          const full = found.mark === "=" ? value : this.inFull(value, this.dictionary(within + found.path));
          constants.push({ ...found, value: full });
        }
      }
    }
    return { cells, constants };
  }

  dictionary(path) {
    this.unused.delete(path);
    return this.maps.get(path);
  }

  inFull(cell, dictionary) {
    if (!dictionary) return cell;
    must(!isObject(cell) && !(Array.isArray(cell) && cell.some((item) => typeof item === "object" && item !== null)), "not for a dictionary");
    const lookUp = (text) => (!isText(text) ? text : has(dictionary, text) ? dictionary[text] : refuse(`no ${text}`));
    return Array.isArray(cell) ? cell.map(lookUp) : lookUp(cell);
  }

  objects(layouts, rows, within) {
    must(Array.isArray(rows), "rows");
    return rows.map((row) => {
      must(Array.isArray(row), "a row is a list");
      let layout = layouts.only;
      if (!layout) {
        layout = layouts.named.get(row[0]);
        must(layout, "no layout");
        row = row.slice(1);
      }
      return this.object(layout, row, within);
    });
  }

  object(layout, row, within) {
    must(row.length <= layout.cells.length, "too many cells");
    const values = new Map(), referring = [];
    const set = (found, value) => {
      must(!values.has(found.path), "a column twice");
      values.set(found.path, value);
    };
    layout.cells.forEach((cell, place) => {
      const raw = place < row.length ? row[place] : null;
      must(place < row.length || cell.optional, "the row is too short");
      if (raw === null && cell.optional) set(cell, MISSING);
      else if (cell.mark === "=" && raw === true) (set(cell, MISSING), referring.push(cell));
      else if (cell.inner) set(cell, this.objects(cell.inner, raw, `${within}${cell.path}.*.`));
      else if (cell.mark === "#") set(cell, this.numbered(raw, cell.argument));
      else if (cell.mark === "+") set(cell, this.later(raw, within + cell.path));
      else set(cell, this.inFull(raw, cell.dictionary));
    });
    for (const constant of layout.constants) {
      if (constant.mark === "=") (set(constant, MISSING), referring.push(constant));
      else set(constant, structuredClone(constant.value));
    }
    for (const { path, argument } of referring) {
      const value = values.get(argument);
      must(!referring.some((other) => other.path === argument) && (isText(value) || typeof value === "number"), `nothing in ${argument}`);
      values.set(path, value);
    }
    return this.put(layout, values);
  }

  put(layout, values) {
    const made = {}, own = new Set([made]);
    for (const { path, names } of [...layout.cells, ...layout.constants]) {
      const value = values.get(path);
      if (value === MISSING) continue;
      let inner = made;
      for (const name of names.slice(0, -1)) {
        if (!has(inner, name)) {
          put(inner, name, {});
          own.add(inner[name]);
        }
        inner = inner[name];
        must(own.has(inner), "a value that has fields");
      }
      must(!has(inner, names.at(-1)), "a value that has fields");
      put(inner, names.at(-1), value);
    }
    return made;
  }

  numbered(raw, text) {
    if (Array.isArray(raw)) return raw.map((item) => (Array.isArray(item) ? item : this.numbered(item, text)));
    if (!Number.isInteger(raw)) return raw;
    must(raw >= 0 && raw < 1e15, "no such number");
    return `${text}${raw}`;
  }

  later(raw, path) {
    if (isText(raw)) {
      const ms = milliseconds(raw);
      if (ms !== null) this.last.set(path, ms);
      return raw;
    }
    if (!Number.isInteger(raw)) return raw;
    must(this.last.has(path), "no time before");
    const ms = this.last.get(path) + raw;
    must(ms >= Date.parse("0001-01-01T00:00:00.000Z") && ms <= Date.parse("9999-12-31T23:59:59.999Z"), "no such time");
    this.last.set(path, ms);
    return new Date(ms).toISOString();
  }
}

function records(part) {
  const d = part.d ?? {}, columns = new Part(part.d, ["k", "rel"]);
  for (const own of ["k", "rel"]) must(!has(d, own) || (isObject(d[own]) && Object.values(d[own]).every(isText)), `d.${own}`);
  let found = part.m;
  if (isObject(found) && has(found, "cols")) {
    must(Object.keys(found).length === 2 && has(found, "rows"), "m");
    found = columns.table(found.cols, found.rows);
  } else must(columns.unused.size === 0, "a dictionary of no column");
  if (isObject(found)) return record(found, d);
  must(Array.isArray(found), "m");
  const [first] = found;
  if (found.length === 1 && isObject(first) && !has(first, "i") && first.a?.status === "error") return error(first, d);
  return found.map((short) => record(short, d));
}

function meant(dictionary, short) {
  must(isText(short), "no text");
  if (!dictionary) return short;
  must(has(dictionary, short), `no ${short}`);
  return dictionary[short];
}

function record(short, d) {
  must(isObject(short), "a record is an object");
  for (const key of Object.keys(short)) must(has(RECORD, key) || has(BODY, key), `no key ${key}`);
  for (const key of ["i", "k", "x"]) must(has(short, key), `no ${key}`);
  const made = { branch: "main", agent: "anonymous", source: {}, attrs: {}, body: {} };
  for (const [key, name] of Object.entries(RECORD)) if (has(short, key)) made[name] = short[key];
  for (const [key, name] of Object.entries(BODY)) if (has(short, key)) made.body[name] = short[key];
  made.kind = meant(d.k, short.k);
  must(isObject(made.attrs), "attrs");
  if (has(made.attrs, "relations")) {
    must(Array.isArray(made.attrs.relations), "relations");
    const relations = made.attrs.relations.map((each) => {
      must(isObject(each) && Object.keys(each).length === 2 && has(each, "t") && isText(each.to), "a relation");
      const type = meant(d.rel, each.t);
      must(RELATIONS.includes(type), `no relation ${type}`);
      return { type, to: each.to };
    });
    made.attrs = { ...made.attrs, relations };
  }
  const { attrs } = made;
  must(["replacesId", "callId"].every((name) => !has(attrs, name) || isText(attrs[name])), "attrs");
  must(!has(attrs, "answeredBy") || areTexts(attrs.answeredBy), "attrs");
  if (!has(made, "refs")) {
    const ids = [...(attrs.relations ?? []).map((each) => each.to), ...["replacesId", "callId"].filter((name) => has(attrs, name)).map((name) => attrs[name]), ...(attrs.answeredBy ?? [])];
    made.refs = [...new Set(ids)];
  }
  must(KINDS.includes(made.kind) && areTexts(made.refs) && isText(made.body.text), "a record");
  must(["id", "branch", "agent"].every((name) => isText(made[name])), "a record");
  must(["ts", "session"].every((name) => !has(made, name) || isText(made[name])), "a record");
  must(!has(made, "confidence") || typeof made.confidence === "number", "a record");
  must(isObject(made.source) && (!has(made, "data") || isObject(made.data)), "a record");
  must(!has(made.body, "cipher") || isText(made.body.cipher), "a record");
  must((!has(made.body, "labels") || areTexts(made.body.labels)) && (!has(made.body, "metrics") || isObject(made.body.metrics)), "a record");
  return made;
}

function error(short, d) {
  must(Object.keys(short).sort().join() === "a,k,x" && meant(d.k, short.k) === "tool_result", "no error");
  const { status, code, ...rest } = short.a;
  must(isText(code) && isText(short.x) && !has(rest, "message"), "no error");
  return { code, message: short.x, ...rest };
}

function part(found) {
  return has(found, "m") ? records(found) : new Part(found.d, []).table(found.cols, found.rows);
}

function putBack(rest, parts) {
  const root = [structuredClone(rest)], put_ = new Set();
  for (const [path, value] of parts) {
    let home = root, place = 0;
    for (const name of split(path)) {
      must(Array.isArray(home) || has(home, place), `nothing leads to ${path}`);
      home = home[place];
      must(!put_.has(home), "a part in a part");
      if (Array.isArray(home)) {
        must(/^(0|[1-9][0-9]*)$/.test(name) && Number(name) < home.length, `nothing leads to ${path}`);
        place = Number(name);
      } else {
        must(isObject(home), `nothing leads to ${path}`);
        place = name;
      }
    }
    must(Array.isArray(home) ? home[place] === null : !has(home, place), `something is at ${path}`);
    put(home, place, value);
    put_.add(value);
  }
  return root[0];
}

export function decode(message) {
  must(isObject(message) && message.v === "tbx-c1", "v");
  const keys = Object.keys(message).filter((key) => key !== "v" && key !== "d").sort().join(" ");
  must(["j", "at j", "m", "at j m", "cols rows", "at cols j rows"].includes(keys), `keys: ${keys}`);
  const hasPart = keys.includes("m") || keys.includes("cols");
  must(hasPart || !has(message, "d"), "d without a part");
  if (keys === "j") return message.j;
  if (!keys.startsWith("at")) return part(message);
  if (hasPart) {
    must(isText(message.at), "at");
    return putBack(message.j, [[message.at, part(message)]]);
  }
  must(isObject(message.at) && Object.keys(message.at).length > 0, "at");
  return putBack(message.j, Object.entries(message.at).map(([path, found]) => {
    const own = isObject(found) ? Object.keys(found).filter((key) => key !== "d").sort().join(" ") : "";
    must(own === "m" || own === "cols rows", "a part");
    return [path, part(found)];
  }));
}

for (const file of process.argv.slice(2)) {
  for (const { about, message, ...rest } of JSON.parse(readFileSync(file, "utf8"))) {
    let verdict;
    try {
      const found = decode(message);
      verdict = has(rest, "value") && isDeepStrictEqual(found, rest.value) ? "right" : `wrong: ${JSON.stringify(found)}`;
    } catch (problem) {
      const isRefusal = String(problem.message).startsWith("NOT_TBX");
      verdict = isRefusal && !has(rest, "value") ? "right" : `wrong: ${problem.message}`;
    }
    console.log(`${verdict === "right" ? "ok" : "NOT OK"} ${about}${verdict === "right" ? "" : `: ${verdict}`}`);
  }
}
