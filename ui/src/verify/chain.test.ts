import { describe, expect, it } from "vitest";
import exportFormat from "../../../docs/export-format.md?raw";
import type { Chain, ChainRow } from "../api/types";
import { genesisOf, Verifier } from "./chain";
import { MerkleFrontier } from "./merkle";
import { hexOf, sha256, sha256OfText } from "./sha256";

/** The example that the documentation of the export format works out. */
function documentedRows(): ChainRow[] {
  return exportFormat
    .split("\n")
    .filter((line) => line.startsWith('{"seq":') && !line.includes("…"))
    .map((line) => {
      const split = line.indexOf(',"record":');
      const place = JSON.parse(`${line.slice(0, split)}}`) as { seq: number; stream: string; index: number; hash: string };
      return [place.seq, place.stream, place.index, line.slice(split + ',"record":'.length, -1), place.hash];
    });
}

interface Asked {
  cursor: string | undefined;
  limit: number | undefined;
}

/** A server whose cursor is the number of rows before the page. */
function serverOf(rows: ChainRow[], workspace = "demo"): { chain: (cursor?: string, limit?: number) => Promise<Chain>; asked: Asked[] } {
  const asked: Asked[] = [];
  const chain = (cursor?: string, limit = 2000): Promise<Chain> => {
    asked.push({ cursor, limit });
    const from = Number(cursor ?? 0);
    const page = rows.slice(from, from + limit);
    const end = from + page.length;
    return Promise.resolve({
      workspace,
      seq: rows.at(-1)?.[0] ?? 0,
      rows: page,
      nextCursor: end < rows.length ? String(end) : null,
      checkpoints: [],
    });
  };
  return { chain, asked };
}

/** A clock that stands still: everything fits into one slice. */
const noPause = { now: () => 0, pause: () => Promise.resolve() };
const verifierOf = (rows: ChainRow[]): Verifier => new Verifier(serverOf(rows), "demo", noPause);
const verify = (rows: ChainRow[], upTo = rows.length) => verifierOf(rows).run(upTo, () => {});

/** Well-made rows, whatever their content says: what a forger with the format's description could write. */
function made(contents: { stream: string; content: (seq: number, root: string) => string }[]): ChainRow[] {
  const heads = new Map<string, { count: number; hash: Uint8Array }>();
  const tree = new MerkleFrontier();
  return contents.map(({ stream, content }, i) => {
    const head = heads.get(stream) ?? { count: 0, hash: genesisOf("demo", stream) };
    const text = content(i + 1, hexOf(tree.root()));
    const hash = sha256(Uint8Array.of(...head.hash, ...sha256OfText(text)));
    heads.set(stream, { count: head.count + 1, hash });
    tree.append(hash);
    return [i + 1, stream, head.count, text, hexOf(hash)];
  });
}

const plain = (stream: string) => ({ stream, content: (seq: number) => `{"id":"th:${seq}","data":{"topic":"t"}}` });

describe("a chain that is whole", () => {
  it("verifies to the end with the documented root", async () => {
    expect(await verify(documentedRows())).toEqual({
      verifiedTo: 4,
      broken: null,
      root: "8561484de43a7cd6ef5c805287fb31faf15c4be1c0a80bab7900cba61ca0e68c",
      checkpoints: 1,
    });
  });

  it("has the documented genesis", () => {
    expect(hexOf(genesisOf("demo", "trail/s1"))).toBe("856a8bddf0a5b9875c3afb80c5711d0986801917068633dfcb55a362c681badd");
  });

  it("may be empty", async () => {
    expect(await verify([])).toMatchObject({ verifiedTo: 0, broken: null });
  });

  it("tells how far it is", async () => {
    const told: number[] = [];
    await verifierOf(documentedRows()).run(4, (verifiedTo) => told.push(verifiedTo));
    expect(told.at(-1)).toBe(4);
  });
});

describe("a chain that was tampered with", () => {
  const tampered = (row: number, column: number, value: (old: ChainRow[number]) => ChainRow[number]): ChainRow[] => {
    const rows = documentedRows();
    const changed = rows[row] as ChainRow;
    (changed as unknown[])[column] = value(changed[column] as ChainRow[number]);
    return rows;
  };

  it.each([0, 1, 2, 3])("is broken where the seq of row %i was changed", async (row) => {
    expect((await verify(tampered(row, 0, (seq) => Number(seq) + 1))).broken?.seq).toBe(row + 1);
  });

  it.each([0, 1, 2, 3])("is broken where row %i was moved to another stream", async (row) => {
    expect((await verify(tampered(row, 1, () => "trail/s9"))).broken?.seq).toBe(row + 1);
  });

  it.each([0, 1, 2, 3])("is broken where the index of row %i was changed", async (row) => {
    expect((await verify(tampered(row, 2, (index) => Number(index) + 1))).broken?.seq).toBe(row + 1);
  });

  it.each([0, 1, 2, 3])("is broken where the content of row %i was changed", async (row) => {
    const lied = tampered(row, 3, (content) => String(content).replace('"refs"', '"Refs"'));
    expect((await verify(lied)).broken?.seq).toBe(row + 1);
  });

  it.each([0, 1, 2, 3])("is broken where the hash of row %i was changed", async (row) => {
    const flipped = tampered(row, 4, (hash) => (String(hash).startsWith("0") ? "1" : "0") + String(hash).slice(1));
    expect((await verify(flipped)).broken?.seq).toBe(row + 1);
  });

  it.each([0, 1, 2])("is broken where row %i was taken out", async (row) => {
    expect((await verify(documentedRows().toSpliced(row, 1), 4)).broken?.seq).toBe(row + 1);
  });

  it("is broken where its end was cut off", async () => {
    expect(await verify(documentedRows().slice(0, 3), 4)).toMatchObject({
      verifiedTo: 3,
      broken: { seq: 4, why: "the record is missing" },
    });
  });

  it("is broken where two rows changed places", async () => {
    const [first, second, ...rest] = documentedRows() as [ChainRow, ChainRow, ...ChainRow[]];
    expect((await verify([second, first, ...rest])).broken?.seq).toBe(1);
  });

  it("is broken from the first when it belongs to another workspace", async () => {
    const foreign = new Verifier(serverOf(documentedRows(), "other"), "demo", noPause);
    expect((await foreign.run(4, () => {})).broken?.seq).toBe(1);
    const renamed = new Verifier(serverOf(documentedRows(), "other"), "other", noPause);
    expect((await renamed.run(4, () => {})).broken?.seq).toBe(1);
  });

  it("is broken at a record that says it is another one, though its hashes fit", async () => {
    const rows = made([plain("a"), { stream: "a", content: () => '{"id":"th:7","data":{"topic":"t"}}' }]);
    expect((await verify(rows)).broken?.seq).toBe(2);
  });

  it.each(["", "[]", "null", "7", "{"])("is broken at content that is no record: %j", async (content) => {
    expect((await verify(made([{ stream: "a", content: () => content }]))).broken?.seq).toBe(1);
  });

  it("is broken at a checkpoint when history before it was rewritten with new hashes", async () => {
    const checkpoint = (size: number, root: string) => (seq: number) =>
      `{"attrs":{"stateHash":"${root}"},"data":{"size":${size},"topic":"ledger.checkpoint"},"id":"th:${seq}"}`;
    const honest = made([
      plain("a"),
      plain("b"),
      { stream: "ledger/checkpoints", content: (seq, root) => checkpoint(2, root)(seq) },
    ]);
    expect(await verify(honest)).toMatchObject({ verifiedTo: 3, checkpoints: 1, broken: null });
    const root = "f".repeat(64);
    const rewritten = made([plain("a"), plain("b"), { stream: "ledger/checkpoints", content: checkpoint(2, root) }]);
    expect((await verify(rewritten)).broken).toMatchObject({ seq: 3, why: expect.stringContaining("rewritten") as string });
    const miscounted = made([plain("a"), { stream: "ledger/checkpoints", content: (seq, r) => checkpoint(2, r)(seq) }]);
    expect((await verify(miscounted)).broken?.seq).toBe(2);
  });

  it("stays broken", async () => {
    const verifier = verifierOf(tampered(1, 4, () => ""));
    const first = await verifier.run(4, () => {});
    expect(await verifier.run(9, () => {})).toEqual(first);
  });
});

describe("going on", () => {
  const long = made(Array.from({ length: 1200 }, (_, i) => plain(`s${i % 7}`)));

  it("verifies what has come since, and gives the root of all", async () => {
    const rows = long.slice(0, 400);
    const verifier = verifierOf(rows);
    expect(await verifier.run(400, () => {})).toMatchObject({ verifiedTo: 400, broken: null });
    for (let end = 450; end <= 1200; end += 50) {
      rows.push(...long.slice(rows.length, end));
      expect(await verifier.run(end, () => {})).toMatchObject({ verifiedTo: end, broken: null });
    }
    expect((await verifier.run(1200, () => {})).root).toBe((await verify(long)).root);
  });

  it("reads the rows that it knows only a few times again", async () => {
    const rows = long.slice(0, 400);
    const server = serverOf(rows);
    const verifier = new Verifier(server, "demo", noPause);
    await verifier.run(400, () => {});
    rows.push(...long.slice(400, 410));
    await verifier.run(410, () => {});
    expect(server.asked.at(-1)?.cursor).toBe("400");
  });

  it("asks for nothing when nothing has come", async () => {
    const server = serverOf(long);
    const verifier = new Verifier(server, "demo", noPause);
    await verifier.run(1200, () => {});
    const before = server.asked.length;
    await verifier.run(1200, () => {});
    expect(server.asked).toHaveLength(before);
  });

  it("goes on after it was stopped in the middle of a page", async () => {
    const stop = new AbortController();
    let now = 0;
    const slices = {
      now: () => (now += 1),
      pause: () => {
        stop.abort();
        return Promise.resolve();
      },
    };
    const told: number[] = [];
    const verifier = new Verifier(serverOf(long), "demo", slices);
    await expect(verifier.run(1200, (verifiedTo) => told.push(verifiedTo), stop.signal)).rejects.toThrow();
    expect(told).toEqual([8]);
    expect(await verifier.run(1200, () => {})).toEqual(await verify(long));
  });

  it("runs one after the other when asked twice at once", async () => {
    const verifier = verifierOf(long);
    const both = await Promise.all([verifier.run(1200, () => {}), verifier.run(1200, () => {})]);
    expect(both[0]).toEqual(both[1]);
  });
});
