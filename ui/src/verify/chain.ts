import type { Source } from "../api/source";
import type { ChainRow } from "../api/types";
import { MerkleFrontier } from "./merkle";
import { betweenFrames, type Slices } from "./slices";
import { hexOf, sha256, sha256OfText } from "./sha256";

export interface Verification {
  /** All records up to this seq are as they were written. */
  verifiedTo: number;
  broken: { seq: number; why: string } | null;
  /** The Merkle root over the verified records, in hex. */
  root: string;
  /** Checkpoints whose root is that of the records before them. */
  checkpoints: number;
}

const ROWS_IN_A_PAGE = 2000;
/** With more rows of a page done than this, the page is left behind before the next is read. */
const ROWS_READ_AGAIN = 256;
const SLICE_MS = 8;

const linkInput = new Uint8Array(64);

/** H(previous hash ‖ content hash). */
function linkOf(previous: Uint8Array, content: Uint8Array): Uint8Array {
  linkInput.set(previous);
  linkInput.set(content, 32);
  return sha256(linkInput);
}

/** What a stream's first record is linked to, so that no chain can be moved to another stream or workspace. */
export function genesisOf(workspace: string, stream: string): Uint8Array {
  return sha256OfText(`thoughtbox/stream/v1\n${workspace}\n${stream}`);
}

interface Head {
  records: number;
  hash: Uint8Array;
}

interface Claims {
  id?: unknown;
  attrs?: { stateHash?: unknown };
  data?: { topic?: unknown; size?: unknown };
}

/** Recomputes every hash of a workspace from the records' bytes; believes nothing that the server says of them. */
export class Verifier {
  private readonly source: Pick<Source, "chain">;
  private readonly workspace: string;
  private readonly slices: Slices;
  private readonly heads = new Map<string, Head>();
  private readonly tree = new MerkleFrontier();
  private broken: Verification["broken"] = null;
  private checkpoints = 0;
  private cursor: string | undefined;
  /** Rows of the page at the cursor that are done. */
  private done = 0;
  private running: Promise<unknown> = Promise.resolve();

  constructor(source: Pick<Source, "chain">, workspace: string, slices: Slices = betweenFrames) {
    this.source = source;
    this.workspace = workspace;
    this.slices = slices;
  }

  /**
   * Verify up to a record, in slices that leave the page its frames. A later call goes on where this one stopped, also
   * when the signal stopped it.
   */
  run(upTo: number, onProgress: (verifiedTo: number) => void, signal?: AbortSignal): Promise<Verification> {
    const next = this.running.then(() => this.verify(upTo, onProgress, signal));
    this.running = next.catch(() => {});
    return next;
  }

  private async verify(upTo: number, onProgress: (verifiedTo: number) => void, signal?: AbortSignal): Promise<Verification> {
    while (this.broken === null && this.tree.size < upTo) {
      const isWorthLeaving = this.done >= ROWS_READ_AGAIN;
      const page = await this.source.chain(this.cursor, isWorthLeaving ? this.done : ROWS_IN_A_PAGE, signal);
      signal?.throwIfAborted();
      if (page.workspace !== this.workspace) {
        this.breakAt(this.tree.size + 1, `the server answered for the workspace ${page.workspace}`);
        break;
      }
      await this.verifyRows(page.rows, onProgress, signal);
      if (page.nextCursor !== null) {
        this.cursor = page.nextCursor;
        this.done = 0;
      } else if (this.broken === null && this.tree.size < upTo) {
        this.breakAt(this.tree.size + 1, "the record is missing");
      }
    }
    return {
      verifiedTo: this.tree.size,
      broken: this.broken,
      root: hexOf(this.tree.root()),
      checkpoints: this.checkpoints,
    };
  }

  private async verifyRows(rows: ChainRow[], onProgress: (verifiedTo: number) => void, signal?: AbortSignal): Promise<void> {
    let sliceEnds = this.slices.now() + SLICE_MS;
    for (const row of rows.slice(this.done)) {
      const why = this.wrongWith(row);
      if (why !== null) return this.breakAt(this.tree.size + 1, why);
      this.done += 1;
      if (this.slices.now() < sliceEnds) continue;
      onProgress(this.tree.size);
      await this.slices.pause();
      signal?.throwIfAborted();
      sliceEnds = this.slices.now() + SLICE_MS;
    }
    onProgress(this.tree.size);
  }

  /** Says what is wrong, or takes the record in and says null. */
  private wrongWith([seq, stream, index, content, hash]: ChainRow): string | null {
    const expected = this.tree.size + 1;
    if (seq !== expected) return `record ${seq} stands in its place`;
    const head = this.heads.get(stream) ?? { records: 0, hash: genesisOf(this.workspace, stream) };
    if (index !== head.records) return `it says that it is ${index} in ${stream}, where ${head.records} is next`;
    const link = linkOf(head.hash, sha256OfText(content));
    if (hexOf(link) !== hash) return `its content, or what it follows in ${stream}, is not what was hashed`;
    const claims = claimsOf(content);
    if (claims?.id !== `th:${seq}`) return `its content is that of another record`;
    if (claims.data?.topic === "ledger.checkpoint") {
      if (claims.data.size !== seq - 1) return "it is a checkpoint of another number of records";
      if (claims.attrs?.stateHash !== hexOf(this.tree.root())) {
        return "it is a checkpoint of other records: what stands before it was rewritten";
      }
      this.checkpoints += 1;
    }
    this.heads.set(stream, { records: index + 1, hash: link });
    this.tree.append(link);
    return null;
  }

  private breakAt(seq: number, why: string): void {
    this.broken = { seq, why };
  }
}

function claimsOf(content: string): Claims | null {
  try {
    const claims: unknown = JSON.parse(content);
    return typeof claims === "object" && claims !== null ? claims : null;
  } catch {
    return null;
  }
}
