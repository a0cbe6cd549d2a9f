// SHA-256 (FIPS 180-4), synchronous. The browser's own is missing on plain HTTP, and hands each hash back in its own task,
// which costs more than the hash when there are a hundred thousand of them.

/** The first 32 bits of the fractions of roots of the first primes: where the standard's constants come from. */
function fractionsOfRoots(count: number, root: (prime: number) => number): Int32Array {
  const fractions = new Int32Array(count);
  for (let found = 0, number = 2; found < count; number += 1) {
    let divisor = 2;
    while (divisor * divisor <= number && number % divisor !== 0) divisor += 1;
    if (divisor * divisor > number) fractions[found++] = (root(number) % 1) * 2 ** 32;
  }
  return fractions;
}

const INITIAL = fractionsOfRoots(8, Math.sqrt);
const ROUND = fractionsOfRoots(64, Math.cbrt);

const state = new Int32Array(8);
const schedule = new Int32Array(64);
const ending = new Uint8Array(128);

function compress(bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < 16; i += 1, at += 4) {
    schedule[i] =
      ((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number);
  }
  for (let i = 16; i < 64; i += 1) {
    const x = schedule[i - 15] as number;
    const y = schedule[i - 2] as number;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = ((schedule[i - 16] as number) + s0 + (schedule[i - 7] as number) + s1) | 0;
  }
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[i] as number) + (schedule[i] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0] as number) + a;
  state[1] = (state[1] as number) + b;
  state[2] = (state[2] as number) + c;
  state[3] = (state[3] as number) + d;
  state[4] = (state[4] as number) + e;
  state[5] = (state[5] as number) + f;
  state[6] = (state[6] as number) + g;
  state[7] = (state[7] as number) + h;
}

/** The hash of the first `length` bytes. */
export function sha256(bytes: Uint8Array, length: number = bytes.length): Uint8Array {
  state.set(INITIAL);
  const whole = length - (length % 64);
  for (let at = 0; at < whole; at += 64) compress(bytes, at);
  const rest = length - whole;
  const end = rest < 56 ? 64 : 128;
  ending.fill(0);
  ending.set(bytes.subarray(whole, length));
  ending[rest] = 0x80;
  const bits = length * 8;
  for (let i = 0; i < 8; i += 1) ending[end - 1 - i] = Math.floor(bits / 2 ** (8 * i));
  for (let at = 0; at < end; at += 64) compress(ending, at);
  const hash = new Uint8Array(32);
  for (let i = 0; i < 8; i += 1) {
    const word = state[i] as number;
    hash[4 * i] = word >>> 24;
    hash[4 * i + 1] = word >>> 16;
    hash[4 * i + 2] = word >>> 8;
    hash[4 * i + 3] = word;
  }
  return hash;
}

const encoder = new TextEncoder();
let scratch = new Uint8Array(4096);

/** The hash of a text's UTF-8 bytes. */
export function sha256OfText(text: string): Uint8Array {
  // A code unit is at most three bytes.
  if (text.length * 3 > scratch.length) scratch = new Uint8Array(text.length * 3);
  return sha256(scratch, encoder.encodeInto(text, scratch).written);
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hexOf(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += DIGITS[byte];
  return hex;
}
