import { judgeRemoval } from "./deletes.ts"
import { reads, writeAll } from "./file-writes.ts"
import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"

/** Programs that pack and unpack. Which files an archive holds is not looked at. */
export const archives: Programs = {
  ...sameFor("tar bsdtar", runTar),
  unzip: (call) => {
    const options = parseOptions(call.args, setOf("-d"))
    if (options.has("-l", "-t", "-p")) return reads(call)
    return writeAll(call, [options.values("-d")[0] ?? "."])
  },
  zip: (call) => {
    const options = parseOptions(call.args, setOf("-x -i -b -P"))
    if (options.has("-m", "--move"))
      for (const path of options.operands.slice(1)) judgeRemoval(path, call.frame, call.run, true)
    return writeAll(call, options.operands.slice(0, 1))
  },
  ...sameFor("gzip gunzip bzip2 bunzip2 xz unxz zstd", compress),
}

function runTar(call: Call): string {
  const [first = "", ...rest] = call.args
  // The old way: `tar xzf file`, a bundle without a dash.
  const args = first.startsWith("-") ? call.args : [`-${first}`, ...rest]
  const options = parseOptions(args, setOf("-f -C --file --directory --exclude -T -X --transform"))
  if (options.has("-t", "--list")) return reads(call)
  if (options.has("-x", "--extract", "--get")) {
    if (options.has("-O", "--to-stdout")) return reads(call)
    // What the last commit has, over what the work tree has.
    if (/\bgit\b.*\barchive\b/.test(call.frame.pipe)) call.run.loses({ ask: "tree", cwd: call.frame.cwd })
    return writeAll(call, [options.values("-C", "--directory")[0] ?? "."])
  }
  if (options.has("--remove-files")) {
    const [folder] = options.values("-C", "--directory")
    const cwd = folder === undefined ? call.frame.cwd : resolvePath(folder, call.frame, call.run)
    for (const path of options.operands) judgeRemoval(path, { ...call.frame, cwd }, call.run, true)
  }
  return writeAll(
    call,
    options.values("-f", "--file").filter((file) => file !== "-"),
  )
}

function compress(call: Call): string {
  const options = parseOptions(call.args)
  if (options.has("-c", "--stdout", "-t", "-l") || options.operands.length === 0) {
    call.run.addKind("read")
    return call.frame.stdin
  }
  return writeAll(call, options.operands)
}
