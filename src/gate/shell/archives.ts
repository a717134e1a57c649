import { judgeRemoval } from "./deletes.ts"
import { reads, writeAll } from "./file-writes.ts"
import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { isKnown } from "./unknown-text.ts"

/** Programs that pack and unpack. What an archive holds is asked where it would go over work that is in no commit. */
export const archives: Programs = {
  ...sameFor("tar bsdtar", runTar),
  unzip: (call) => {
    const options = parseOptions(call.args, setOf("-d"))
    if (options.has("-l", "-t", "-p")) return reads(call)
    const [folder = "."] = options.values("-d")
    // By itself it asks before it replaces anything, and nobody answers.
    if (options.has("-o")) unpack(call, options.operands[0], folder, "zip")
    return writeAll(call, [folder])
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
  const options = parseOptions(
    args,
    setOf("-f -C --file --directory --exclude -T -X --transform --strip-components --strip"),
  )
  if (options.has("-t", "--list")) return reads(call)
  if (options.has("-x", "--extract", "--get")) {
    if (options.has("-O", "--to-stdout")) return reads(call)
    // What the last commit has, over what the work tree has.
    if (/\bgit\b.*\barchive\b/.test(call.frame.pipe)) call.run.loses({ ask: "tree", cwd: call.frame.cwd })
    const [folder = "."] = options.values("-C", "--directory")
    const strip = Number(options.values("--strip-components", "--strip")[0] ?? 0)
    if (!options.has("-k", "--keep-old-files", "--skip-old-files"))
      unpack(call, options.values("-f", "--file")[0], folder, "tar", strip)
    return writeAll(call, [folder])
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

function unpack(
  { frame, run }: Call,
  file: string | undefined,
  folder: string,
  format: "tar" | "zip",
  strip = 0,
): void {
  if (file === undefined || file === "-" || frame.elsewhere || !Number.isInteger(strip)) return
  const [archive, target] = [resolvePath(file, frame, run), resolvePath(folder, frame, run)]
  if (isKnown(archive) && isKnown(target))
    run.loses({ ask: "unpacked", archive, folder: target, format, strip })
}

function compress(call: Call): string {
  const options = parseOptions(call.args)
  if (options.has("-c", "--stdout", "-t", "-l") || options.operands.length === 0) {
    call.run.addKind("read")
    return call.frame.stdin
  }
  return writeAll(call, options.operands)
}
