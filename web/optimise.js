// Makes modules of WebAssembly smaller or faster: `node web/optimise.js size` (or `speed`). It reads their paths from its input, a line
// for each, writes each module anew, and then writes its path to its output. One process for many modules: Binaryen takes longer to
// load than most of them to optimise.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

import binaryen from "binaryen";

/** The features that rustc uses: with all of them Binaryen would use more than browsers have. */
const FEATURES = [
  "BulkMemory",
  "BulkMemoryOpt",
  "NontrappingFPToInt",
  "SignExt",
  "MutableGlobals",
  "ReferenceTypes",
  "Multivalue",
];

const HOW = {
  size: {
    levels: [2, 2],
    optimise(module) {
      module.runPasses(["flatten", "rereloop"]);
      module.optimize();
      module.optimize();
      module.runPasses(["reorder-functions-by-name", "strip-producers", "strip-target-features"]);
    },
  },
  speed: { levels: [3, 0], optimise: (module) => module.optimize() },
};

/** The most instructions of a function that is put into the only one that calls it, where size matters. */
const ONE_CALLER_SIZE = 20;

const how = process.argv[2];
const { levels, optimise } = HOW[how];
binaryen.setOptimizeLevel(levels[0]);
binaryen.setShrinkLevel(levels[1]);
binaryen.setGenerateStackIR(true);
binaryen.setOptimizeStackIR(true);
if (how === "size") binaryen.setOneCallerInlineMaxSize(ONE_CALLER_SIZE);
const features = FEATURES.reduce((all, name) => all | binaryen.Features[name], 0);

for await (const file of createInterface({ input: process.stdin })) {
  const module = binaryen.readBinary(readFileSync(file));
  module.setFeatures(features);
  optimise(module);
  writeFileSync(file, module.emitBinary());
  module.dispose();
  console.log(file);
}
