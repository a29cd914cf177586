// Compresses the files of a build once, so that the server need not for each of its readers.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(js|mjs|css|svg|wasm|json|bcmap|icc|pfb|ttf)$/;
/** Bytes below which a file fits into a packet or two either way. */
const LEAST_BYTES = 1024;
/** Of its size, what a compressed file may have at most to be worth keeping. */
const LARGEST_SHARE = 0.95;

/** Of what everybody loads first: smallest, however long it takes. */
const FIRST_QUALITY = 11;
/** Of what is loaded with a PDF file, and kept from then on: a tenth of the time, 7 to 11 % larger. */
const SELDOM_QUALITY = 9;
const SELDOM = /(^|\/)pdf[^/]*(\/|\.worker)/;

/** Puts `.br` and `.gz` beside each file of the build that they make smaller. */
export function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      const files = Object.keys(bundle).filter((file) => COMPRESSIBLE.test(file));
      // They are compressed beside each other, on as many threads as Node has for that.
      await Promise.all(files.map((file) => compress(join(dir, file), SELDOM.test(file))));
    },
  };
}

async function compress(path: string, seldom: boolean): Promise<void> {
  const content = await readFile(path);
  if (content.length < LEAST_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: seldom ? SELDOM_QUALITY : FIRST_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const smaller = {
    br: await promisify(brotliCompress)(content, { params }),
    gz: await promisify(gzip)(content, { level: 9 }),
  };
  for (const [ending, bytes] of Object.entries(smaller)) {
    if (bytes.length <= content.length * LARGEST_SHARE) await writeFile(`${path}.${ending}`, bytes);
  }
}
