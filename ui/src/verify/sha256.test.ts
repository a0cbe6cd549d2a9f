import { describe, expect, it } from "vitest";
import { MerkleFrontier } from "./merkle";
import { hexOf, sha256, sha256OfText } from "./sha256";

async function byThePlatform(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

describe("sha256", () => {
  it("gives the hashes of the standard's examples", () => {
    expect(hexOf(sha256OfText(""))).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(hexOf(sha256OfText("abc"))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(hexOf(sha256OfText("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))).toBe(
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    );
    expect(hexOf(sha256OfText("a".repeat(1_000_000)))).toBe(
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    );
  });

  it("agrees with another implementation at every length around the blocks' ends", async () => {
    for (let length = 0; length <= 300; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 7 + length) % 256);
      expect(hexOf(sha256(bytes))).toBe(await byThePlatform(bytes));
    }
  });

  it("takes a text as UTF-8", async () => {
    for (const text of ["Zürich", "∴ S1 → S2", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ".repeat(2000)]) {
      expect(hexOf(sha256OfText(text))).toBe(await byThePlatform(new TextEncoder().encode(text)));
    }
  });

  it("looks only at the length it is told", () => {
    const bytes = new Uint8Array(100).fill(65);
    expect(hexOf(sha256(bytes, 70))).toBe(hexOf(sha256(bytes.subarray(0, 70))));
  });
});

describe("the Merkle root", () => {
  // Roots over SHA256("0"), SHA256("1"), …, from the recursive definition in RFC 6962.
  const ROOTS: [number, string][] = [
    [0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    [1, "13a77175e35eb1d9da91ee14df0d7772cea71289800206e2b45c882ecb06efbf"],
    [2, "bbb441530bdded54e6e2bfcdc829819ff39b30768eb9f023071dffc16b410f10"],
    [3, "8be871f13785b4c81a1700459c76ac2b3ae2caebb7876c376e223c6adff98c47"],
    [4, "626635eec4e2fa4a75475a0f1d633dbee55b6783247c108b9a12dcc60f13836e"],
    [5, "4e23fb40d8876f1299cca9b3c28432a01b11d1a20126606914612892ff2e09a7"],
    [7, "5653c4ab2514ccd6ea4f0159702d2aba901f2562aa75abcff5a19e344bee038f"],
    [8, "da17ac5d45a1b0c50260c7e411bf342ba2a41c9c824bb3b6404e5330a585a057"],
    [13, "5f3077640cbbda5a01d5c99d332bbb243cf3633ce1e9be673863cb0508081941"],
    [64, "9b023f7291abef947c66cfe8e319c1dd19138cb49d1d55985a0e2f471b92e5d9"],
    [100, "00a88be0272be917d68ef4e3576a8d0e17d3f615a514f6e7d60670200485f728"],
  ];

  it.each(ROOTS)("over %i hashes is that of the definition", (size, root) => {
    const tree = new MerkleFrontier();
    for (let i = 0; i < size; i += 1) tree.append(sha256OfText(String(i)));
    expect(tree.size).toBe(size);
    expect(hexOf(tree.root())).toBe(root);
  });
});
