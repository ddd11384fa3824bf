// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Compiles src/*.sol into artifacts/*.json, and both dev/src/*.sol and proof/src/*.sol into artifacts beside them, below
// this directory or the one given as an argument.
// The same input gives the same bytes: no metadata hash, no paths of this machine, sorted keys.

import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? here;
const require = createRequire(import.meta.url);
const solc = require("solc");

// Name of each artifact: the contract's key in a chain configuration and its version there.
const contracts = {
  "govCouncil-g1": "GovCouncil",
  "govMasterMinter-g1": "GovMasterMinter",
  "govMinter-g1": "GovMinterG1",
  "govMinter-g2": "GovMinterG2",
  "govValidator-g1": "GovValidator",
  "nativeCoinAdapter-g1": "NativeCoinAdapter",
};

const source = (path) => readFileSync(path, "utf8");

function findImport(path) {
  if (!path.startsWith("@openzeppelin/contracts/")) return { error: `${path} is not allowed here` };
  return { contents: source(join(here, "node_modules", path)) };
}

function compile(settings, folder = "src") {
  const sources = {};
  for (const file of readdirSync(join(here, folder)).sort()) {
    sources[`src/${file}`] = { content: source(join(here, folder, file)) };
  }
  const input = {
    language: "Solidity",
    sources,
    settings: {
      // The chain has the instructions of Cancun that these contracts use (MCOPY, PUSH0), and no blobs.
      evmVersion: "cancun",
      metadata: { appendCBOR: false, bytecodeHash: "none" },
      ...settings,
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: findImport }));
  // A warning about our own text is an error; one about a library is its authors' business.
  // The chain takes code of 253952 bytes, so the warning about 24576 (5574) is beside the point.
  const ours = (m) =>
    m.severity === "error" || (m.sourceLocation?.file.startsWith("src/") && m.errorCode !== "5574");
  const messages = (output.errors ?? []).filter(ours);
  if (messages.length > 0) {
    throw new Error(messages.map((m) => m.formattedMessage).join("\n"));
  }
  return output;
}

// Keys in alphabetical order at every depth, so that a compiler that orders them otherwise changes nothing.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function contract(output, name) {
  const found = output.contracts[`src/${name}.sol`]?.[name];
  if (!found) throw new Error(`src/${name}.sol has no contract ${name}`);
  return found;
}

function write(directory, files) {
  const path = join(target, directory);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(path, `${name}.json`), JSON.stringify(sorted(content), null, 1) + "\n");
  }
}

function storageLayout(layout) {
  // Without the compiler's running number of a declaration.
  const typeName = (id) => id.replace(/((?:struct|enum|contract)\([^()]*\))\d+/g, "$1");
  const variables = (list) =>
    list.map((v) => ({ label: v.label, offset: v.offset, slot: v.slot, type: typeName(v.type) }));
  const types = {};
  for (const [id, type] of Object.entries(layout.types ?? {})) {
    types[typeName(id)] = {
      bytes: type.numberOfBytes,
      encoding: type.encoding,
      label: type.label,
      ...(type.base && { base: typeName(type.base) }),
      ...(type.key && { key: typeName(type.key) }),
      ...(type.value && { value: typeName(type.value) }),
      ...(type.members && { members: variables(type.members) }),
    };
  }
  return { storage: variables(layout.storage), types };
}

const outputSelection = {
  "*": { "*": ["abi", "evm.deployedBytecode.object", "storageLayout"] },
};
const optimised = compile({ optimizer: { enabled: true, runs: 200 }, outputSelection });
const artifacts = {};
for (const [name, key] of Object.entries(contracts)) {
  const { abi, evm, storageLayout: layout } = contract(optimised, key);
  artifacts[name] = {
    abi,
    code: "0x" + evm.deployedBytecode.object,
    compiler: solc.version(),
    contract: key,
    layout: storageLayout(layout),
  };
}
write("artifacts", artifacts);

// Contracts of developer chains.
const developer = compile({ optimizer: { enabled: true, runs: 200 }, outputSelection }, "dev/src");
const { abi, evm } = contract(developer, "Multicall3");
write("dev/artifacts", {
  multicall3: { abi, code: "0x" + evm.deployedBytecode.object, compiler: solc.version(), contract: "Multicall3" },
});

// A contract for other chains, which is deployed there: with the code that constructs it.
const abroad = compile(
  {
    optimizer: { enabled: true, runs: 200 },
    viaIR: true,
    outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
  },
  "proof/src",
);
const verifier = contract(abroad, "PaymentVerifier");
write("proof/artifacts", {
  paymentVerifier: {
    abi: verifier.abi,
    creation: "0x" + verifier.evm.bytecode.object,
    compiler: solc.version(),
    contract: "PaymentVerifier",
  },
});
