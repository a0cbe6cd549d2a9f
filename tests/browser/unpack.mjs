// Unpacks the browser that the package brings, with the few libraries and the font that a bare system lacks:
// node unpack.mjs FOLDER
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { extract } from "tar-fs";

const folder = resolve(process.argv[2]);
const packed = join(fileURLToPath(import.meta.resolve("@sparticuz/chromium")), "..", "..", "bin");

const unpacked = (name, into) => pipeline(createReadStream(join(packed, name)), createBrotliDecompress(), into);

await mkdir(folder, { recursive: true });
await Promise.all([
  unpacked("chromium.br", createWriteStream(join(folder, "chromium"), { mode: 0o755 })),
  unpacked("al2023.tar.br", extract(folder, { chown: false })),
  unpacked("fonts.tar.br", extract(folder, { chown: false })),
]);
// The package's own names the folders of the cloud it was made for. What the machine has is taken as well.
await writeFile(
  join(folder, "fonts.conf"),
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="relative">fonts-cache</cachedir>
</fontconfig>
`,
);
