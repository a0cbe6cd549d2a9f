// What a snippet finds when it starts: `tb`, `console` and `print` (or `catalog` instead of `tb`), and nothing else of ours.
//
// A module, evaluated in every fresh instance before the snippet, and out of its reach: it cannot be imported. What it
// needs of the language it takes here and now, so that a snippet that changes JSON, Proxy or a prototype only puzzles
// itself. (So there is no template literal in here either: the engine makes them by calling String.prototype.concat.)
// Nothing depends on it holding: limits are kept, and what comes out is checked, outside.
//
// The worker puts three functions on the global object, which are taken away from it at once:
//   ask(text) -> text   waits until the question is answered
//   log(text)           keeps a JSON list of lines; nothing instead of one says that there is too much, which is the end
//   seed() -> text      32 hexadecimal digits by chance

const { ask: askHost, log: logToHost, seed: seedByHost } = globalThis;
delete globalThis.ask;
delete globalThis.log;
delete globalThis.seed;

// It would hand out our own functions: those that were at work when an error was made.
delete globalThis.Error.prepareStackTrace;

const uncurried = Function.prototype.bind.bind(Function.prototype.call);
const { parse, stringify } = JSON;
const { create, defineProperty, freeze, getPrototypeOf, hasOwn, isFrozen, keys } = Object;
const { isArray, from: arrayFrom, prototype: ArrayPrototype } = Array;
const { isView } = ArrayBuffer;
const ObjectPrototype = Object.prototype;
const { isFinite } = globalThis.Number;
const { Error, Map, Number, Proxy, RegExp, Set, String, TypeError, Uint8Array, ArrayBuffer: Buffer } = globalThis;
const TypedArray = getPrototypeOf(Uint8Array);
const push = uncurried(ArrayPrototype.push);
const join = uncurried(ArrayPrototype.join);
const mapForEach = uncurried(Map.prototype.forEach);
const setForEach = uncurried(Set.prototype.forEach);
const isWellFormed = uncurried(String.prototype.isWellFormed);
const toWellFormed = uncurried(String.prototype.toWellFormed);
const includes = uncurried(String.prototype.includes);
const slice = uncurried(String.prototype.slice);
const executed = uncurried(RegExp.prototype.exec); // `test` would call whatever is called exec by then
const toldGet = uncurried(WeakMap.prototype.get);
const toldSet = uncurried(WeakMap.prototype.set);

const LONGEST_TEXT = 20_000;
const LONGEST_LIST = 100;
const LONGEST_NAME = 200;
const LONGEST_ARGUMENTS = 4_000_000;
const LONGEST_MESSAGE = 2_000;
const MOST_QUEUED = 200;
const LINES_AT_ONCE = 32; // the first lines leave at once, so that they are not lost when the snippet is ended;
const LINES_TOGETHER = 64; // those after them in bundles of so many
const CHARS_TOGETHER = 8_000;
const LARGEST_EXACT = 2n ** 53n;
const HOST_ONLY = ["tool_call", "tool_result", "hub_event", "checkpoint"];
const VISIBLE = /[!-~]|[\p{L}\p{N}\p{P}\p{S}]/u;
const TEXTS = freeze({ __proto__: null, context: true, sourceUrl: true });
const LISTS = freeze({ __proto__: null, labels: true, steps: true, alternativesConsidered: true });

// Records that builders have made, each as JSON, until the next question or the end takes them along.
let queue = [];
let base = 0; // the number of the next record; 0 while it is not known
let longestOutput = 0;

// A record that was made by this run. Only these stand for themselves in references.
class Handle {
  #ours;
  id;
  kind;

  constructor(id, kind) {
    this.id = id;
    this.kind = kind;
    freeze(this);
  }

  toString() {
    return this.id;
  }

  toJSON() {
    return { __proto__: null, id: this.id, kind: this.kind };
  }

  static made(value) {
    return typeof value === "object" && value !== null && #ours in value;
  }
}
delete Handle.prototype.constructor; // it would make handles of anything
freeze(Handle.prototype);
const isHandle = Handle.made;

// What an operation refused. As it came it is kept apart, so that it leaves like that, whatever is done to the error.
const told = new WeakMap();

class OperationError extends Error {
  constructor(payload) {
    super(payload?.message ?? payload);
    define(this, "name", "tb.Error", false);
    define(this, "code", payload?.code ?? null, true);
    define(this, "recovery", payload?.recovery ?? null, true);
    define(this, "details", payload?.details ?? {}, true);
  }

  toString() {
    return spoken(this);
  }
}

// `CODE: what was wrong. What to do about it.`
function spoken({ name, code, message, recovery }) {
  if (typeof code !== "string") return name + ": " + message;
  let end = message.length;
  while (message[end - 1] === ".") end--;
  return code + ": " + slice(message, 0, end) + "." + (recovery ? " " + recovery : "");
}

// Values cross as JSON. What JSON has no word for becomes what comes nearest.

// What would be too long anyway is noticed on the way, before it is made.
let mostChars = 0;
let chars = 0;

function count(more) {
  chars += more + 1;
  if (chars > mostChars) logToHost("");
}

function asResult(key, value) {
  count(typeof value === "string" ? value.length : 0);
  switch (typeof value) {
    case "object":
      return value === null ? null : plainObject(value);
    case "undefined":
    case "function":
    case "symbol":
      return null;
    case "bigint":
      return plainBigInt(value);
    case "string":
      return toWellFormed(value);
    default:
      return value;
  }
}

function asArgument(key, value) {
  count(typeof value === "string" ? value.length : 0);
  switch (typeof value) {
    case "object": {
      if (value === null) return null;
      const given = this[key];
      return isHandle(given) ? given.id : plainObject(value);
    }
    case "function":
    case "symbol":
      return null;
    case "bigint":
      return plainBigInt(value);
    default:
      return value; // undefined, too: a property that was not given
  }
}

function plainBigInt(value) {
  return -LARGEST_EXACT <= value && value <= LARGEST_EXACT ? Number(value) : String(value);
}

function plainObject(value) {
  const prototype = getPrototypeOf(value);
  if (prototype === ObjectPrototype || prototype === ArrayPrototype || prototype === null) return value;
  if (value instanceof Map) {
    const object = create(null);
    mapForEach(value, (each, key) => {
      object[String(key)] = each;
    });
    return object;
  }
  if (value instanceof Set) {
    const list = [];
    setForEach(value, (each) => push(list, each));
    return list;
  }
  if (value instanceof OperationError) {
    const { code, message, recovery, details } = value;
    return { __proto__: null, code, message, recovery, details };
  }
  if (value instanceof Error) return { __proto__: null, name: value.name, message: value.message, ...value };
  if (value instanceof TypedArray) return arrayFrom(value);
  if (value instanceof Buffer) return arrayFrom(new Uint8Array(value));
  if (isView(value) || value instanceof RegExp) return String(value);
  return value;
}

function encodedArguments(value, name) {
  return encoded(value, asArgument, LONGEST_ARGUMENTS, "What tb." + name + " was given");
}

function encoded(value, replacer, most, what) {
  mostChars = most;
  chars = 0;
  try {
    return stringify(value, replacer);
  } catch (error) {
    if (error instanceof TypeError && error.message === "circular reference") {
      throw new TypeError(what + " cannot be JSON, because it contains itself");
    }
    throw error;
  }
}

// Questions to the host.

function ask(name, argumentsText) {
  flushLines();
  const text = '{"name":' + stringify(name) + ',"arguments":' + argumentsText + ',"queued":[' + join(queue, ",") + "]}";
  queue = [];
  const reply = parse(askHost(text));
  base = reply.base;
  if (reply.error !== null) {
    const error = new OperationError(reply.error);
    toldSet(told, error, stringify(reply.error));
    throw error;
  }
  return reply.answer;
}

function call(name, given) {
  const argument = given[0];
  if (given.length > 1 || (argument !== undefined && !isPlain(argument))) {
    throw new TypeError("tb." + name + " takes one object with its arguments: tb." + name + "({...})");
  }
  return ask(name, argument === undefined ? "{}" : encodedArguments(argument, name));
}

function isPlain(value) {
  return typeof value === "object" && value !== null && !isArray(value) && !isHandle(value);
}

// tb.<room>.<operation>, whatever the names are: the host knows which there are, and says so.
function room(path) {
  return new Proxy(anything, { __proto__: traps, path });
}

const anything = () => {};
const traps = freeze({
  __proto__: null,
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
  setPrototypeOf: () => false,
  preventExtensions: () => false,
  getPrototypeOf: () => null,
  get(_, key) {
    if (typeof key === "symbol" || key === "then" || key === "toJSON" || key === "prototype") return undefined;
    if (key === "toString" || key === "valueOf") return () => "tb." + this.path;
    return room(slice(this.path + "." + toWellFormed(key), 0, LONGEST_NAME));
  },
  apply(_, __, given) {
    return call(this.path, given);
  },
});

// Builders.

function builder(kind, references) {
  const named = create(null);
  for (let i = 0; i < references.length; i++) named[references[i]] = true;
  const beginning = '{"kind":' + stringify(kind) + ',"text":';
  return (text, options, more) => {
    if (more !== undefined || !(options === undefined || options === null || isPlain(options))) {
      throw new TypeError("tb." + kind + " takes a text and an object with options: tb." + kind + '("...", {...})');
    }
    const isWhole = kind !== "revision" || options?.replacesId !== undefined;
    const plain = isWhole ? plainText(text) : undefined;
    const others = plain === undefined ? undefined : plainOptions(options ?? {}, named);
    if (others === undefined) return asked(kind, text, options ?? {});
    return made(kind, beginning + plain + ',"options":{' + others + "}}");
  };
}

// The options as JSON, if nothing about them can be refused; everything is read once.
function plainOptions(options, references) {
  let text = "";
  const names = keys(options);
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    const value = options[name];
    if (value === undefined) continue;
    const plain = plainOption(name, value, references);
    if (plain === undefined) return undefined;
    text += (text && ",") + '"' + name + '":' + plain; // it is one of ours
  }
  return text;
}

function plainOption(name, value, references) {
  if (references[name]) return isHandle(value) ? plainHandle(value) : plainList(value, plainHandle);
  if (name === "confidence") return plainShare(value);
  if (TEXTS[name]) return plainText(value);
  return LISTS[name] ? plainList(value, plainText) : undefined;
}

// The engine takes its time to write a fraction, and many records have the same.
let lastShare = 0;
let lastShareText = "0";

function plainShare(value) {
  if (value === lastShare) return lastShareText;
  if (!isFinite(value) || value < 0 || value > 1) return undefined;
  lastShare = value;
  return (lastShareText = String(value));
}

function plainList(value, plainEach) {
  if (!isArray(value)) return undefined;
  const length = value.length;
  if (length > LONGEST_LIST) return undefined;
  let text = "";
  for (let i = 0; i < length; i++) {
    const each = plainEach(value[i]);
    if (each === undefined) return undefined;
    text += (text && ",") + each;
  }
  return "[" + text + "]";
}

function plainHandle(value) {
  return isHandle(value) ? '"' + value.id + '"' : undefined;
}

function plainText(value) {
  const isFit =
    typeof value === "string" &&
    value.length <= LONGEST_TEXT &&
    ((value >= "!" && value < "\x7f") || executed(VISIBLE, value) !== null) &&
    isWellFormed(value);
  if (!isFit) return undefined;
  const text = stringify(value);
  const isAsItIs = text.length === value.length + 2; // so nothing in it was escaped
  return isAsItIs || !includes(value, "\0") ? text : undefined;
}

function made(kind, text) {
  if (base === 0 || queue.length >= MOST_QUEUED) ask("base", "{}");
  push(queue, text);
  return new Handle("th:" + base++, kind);
}

function asked(kind, text, options) {
  if (hasOwn(options, "text")) throw new TypeError("tb." + kind + " has its text before the options, not among them");
  const given = encodedArguments({ __proto__: null, text, ...options }, kind);
  const answer = ask(kind, given);
  const isRecord = isPlain(answer) && typeof answer.id === "string" && typeof answer.kind === "string";
  return isRecord ? new Handle(answer.id, answer.kind) : answer;
}

function library(builders) {
  const vars = freeze({
    __proto__: null,
    set(name, value = null) {
      ask("code.vars.set", encodedArguments({ __proto__: null, name, value }, "vars.set"));
      return value;
    },
    get: (name) => ask("code.vars.get", encodedArguments({ __proto__: null, name }, "vars.get")).value ?? null,
    list: () => ask("code.vars.list", "{}").vars,
    delete: (name) => ask("code.vars.delete", encodedArguments({ __proto__: null, name }, "vars.delete")).deleted,
  });
  const own = { __proto__: null, Error: OperationError, vars };
  const kinds = keys(builders);
  for (let i = 0; i < kinds.length; i++) own[kinds[i]] = builder(kinds[i], builders[kinds[i]]);
  for (let i = 0; i < HOST_ONLY.length; i++) {
    const kind = HOST_ONLY[i];
    own[kind] = (text, options) => asked(kind, text, isPlain(options) ? options : {});
  }
  freeze(own);
  return new Proxy(own, {
    __proto__: null,
    get(_, key) {
      if (hasOwn(own, key)) return own[key];
      if (typeof key === "symbol" || key === "then" || key === "toJSON") return undefined;
      if (key === "toString" || key === "valueOf") return () => "tb";
      return room(slice(toWellFormed(key), 0, LONGEST_NAME));
    },
  });
}

// What is printed.

let lines = "";
let linesCount = 0;
let linesSent = 0;

function print(...given) {
  let line = "";
  for (let i = 0; i < given.length; i++) {
    line += (i ? " " : "") + shown(given[i]);
    if (line.length > longestOutput) logToHost("");
  }
  lines += (lines && ",") + stringify(toWellFormed(line));
  linesCount++;
  if (linesSent < LINES_AT_ONCE || linesCount >= LINES_TOGETHER || lines.length >= CHARS_TOGETHER) flushLines();
}

function flushLines() {
  if (linesCount === 0) return;
  const text = "[" + lines + "]";
  linesSent += linesCount;
  lines = "";
  linesCount = 0;
  logToHost(text);
}

function shown(value) {
  if (typeof value === "string") return value;
  if (typeof value === "function") return "[function " + nameOf(value) + "]";
  if (typeof value !== "object" || value === null) return String(value);
  try {
    if (isHandle(value)) return value.id;
    if (value instanceof OperationError) return spoken(value);
    if (value instanceof Error) return described(value);
    return encoded(value, asResult, longestOutput, "It");
  } catch (error) {
    return "[" + described(error) + "]";
  }
}

function nameOf(value) {
  try {
    return typeof value.name === "string" ? value.name : String(value);
  } catch {
    return "";
  }
}

function described(error) {
  const { name, message } = account(error);
  return message ? name + ": " + message : name;
}

// What can be told of whatever was thrown.
function account(thrown) {
  if (typeof thrown !== "object" || thrown === null) return { __proto__: null, name: "", message: String(thrown) };
  const read = (field) => {
    try {
      const value = thrown[field];
      return typeof value === "string" ? toWellFormed(slice(value, 0, LONGEST_MESSAGE)) : "";
    } catch {
      return "";
    }
  };
  const about = { __proto__: null, name: read("name"), message: read("message"), stack: read("stack") };
  if (!about.name && !about.message) about.message = shownOrNothing(thrown);
  return about;
}

function shownOrNothing(value) {
  try {
    return encoded(value, asResult, longestOutput, "It");
  } catch {
    return "";
  }
}

function deeplyFrozen(value) {
  if (typeof value !== "object" || value === null || isFrozen(value)) return value;
  freeze(value);
  const names = keys(value);
  for (let i = 0; i < names.length; i++) deeplyFrozen(value[names[i]]);
  return value;
}

// Unlike an assignment, asks no setter that a snippet may have put on a prototype.
function define(object, name, value, enumerable) {
  defineProperty(object, name, { __proto__: null, value, enumerable, writable: true, configurable: true });
}

// Instances begin as copies of one: chance has to be brought in anew, or it would be the same in each of them.
// (The generator is Chris Doty-Humphrey's sfc32.)
let state;

function random() {
  state ??= seeded();
  return ((drawn() >>> 5) * 67_108_864 + (drawn() >>> 6)) / 9_007_199_254_740_992;
}

function seeded() {
  const digits = seedByHost();
  const word = (at) => Number("0x" + slice(digits, at, at + 8)) | 0;
  return { __proto__: null, a: word(0), b: word(8), c: word(16), d: word(24) };
}

function drawn() {
  const sum = (state.a + state.b + state.d) | 0;
  state.d = (state.d + 1) | 0;
  state.a = state.b ^ (state.b >>> 9);
  state.b = (state.c + (state.c << 3)) | 0;
  state.c = (((state.c << 21) | (state.c >>> 11)) + sum) | 0;
  return sum;
}

// What the worker calls.

export function begin(settings, catalog) {
  const { builders, output } = parse(settings);
  longestOutput = output;
  define(globalThis, "console", { log: print, info: print, warn: print, error: print, debug: print }, false);
  define(globalThis, "print", print, false);
  define(globalThis.Math, "random", random, false);
  if (catalog === undefined) define(globalThis, "tb", library(builders), false);
  else define(globalThis, "catalog", deeplyFrozen(parse(catalog)), false);
}

export function numberFrom(number) {
  base = number;
}

let result = "null";

// Makes the result of what a script has come to, once that is settled.
export async function finish(script) {
  const { value } = await script;
  const settled = await value;
  flushLines();
  result = encoded(settled, asResult, longestOutput, "The result");
}

// The result, and what builders have queued: both are JSON, which has no line break in it.
export function outcome() {
  flushLines();
  return result + "\n[" + join(queue, ",") + "]";
}

export function explain(thrown) {
  flushLines();
  const payload = typeof thrown === "object" && thrown !== null ? toldGet(told, thrown) : undefined;
  return '{"about":' + stringify(account(thrown)) + ',"error":' + (payload ?? "null") + "}";
}
