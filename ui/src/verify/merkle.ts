import { sha256 } from "./sha256";

interface Subtree {
  leaves: number;
  root: Uint8Array;
}

/** What is before the content says whether it is a leaf or a node, so that neither can stand for the other. */
const LEAF = 0x00;
const NODE = 0x01;

const leafInput = new Uint8Array(33);
const nodeInput = new Uint8Array(65);

function leafOf(hash: Uint8Array): Uint8Array {
  leafInput[0] = LEAF;
  leafInput.set(hash, 1);
  return sha256(leafInput);
}

function nodeOf(left: Uint8Array, right: Uint8Array): Uint8Array {
  nodeInput[0] = NODE;
  nodeInput.set(left, 1);
  nodeInput.set(right, 33);
  return sha256(nodeInput);
}

/** The Merkle tree of RFC 6962 as it grows: of all leaves only the roots of whole subtrees are kept. */
export class MerkleFrontier {
  private readonly subtrees: Subtree[] = [];
  private count = 0;

  get size(): number {
    return this.count;
  }

  append(hash: Uint8Array): void {
    let grown: Subtree = { leaves: 1, root: leafOf(hash) };
    for (let last = this.subtrees.at(-1); last?.leaves === grown.leaves; last = this.subtrees.at(-1)) {
      grown = { leaves: grown.leaves * 2, root: nodeOf(last.root, grown.root) };
      this.subtrees.pop();
    }
    this.subtrees.push(grown);
    this.count += 1;
  }

  root(): Uint8Array {
    const roots = this.subtrees.map((subtree) => subtree.root);
    return roots.length === 0 ? sha256(new Uint8Array()) : roots.reduceRight((right, left) => nodeOf(left, right));
  }
}
