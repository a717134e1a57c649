import { judgeRemoval } from "./deletes.ts"
import { noteCopy } from "./done-so-far.ts"
import { reads, writeAll } from "./file-writes.ts"
import { parseOptions, setOf } from "./options.ts"
import { isDiscarded, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { isKnown } from "./unknown-text.ts"

/** Programs that pack and unpack. What an archive holds is asked where it would go over work that is in no commit. */
export const archives: Programs = {
  ...sameFor("tar bsdtar", runTar),
  unzip: (call) => {
    const options = parseOptions(call.args, setOf("-d"))
    if (options.has("-l", "-t", "-p")) return reads(call)
    const [folder = "."] = options.values("-d")
    const members = options.operands.slice(1).map((member) => `${folder}/${member}`)
    // By itself it asks before it replaces anything, and nobody answers.
    if (options.has("-o")) unpack(call, options.operands[0], folder, "zip")
    return writeAll(call, [folder, ...members])
  },
  zip: (call) => {
    const options = parseOptions(call.args, setOf("-x -i -b -P"))
    const [archive, ...paths] = options.operands
    if (options.has("-m", "--move")) for (const path of paths) judgeRemoval(path, call.frame, call.run, true)
    writeAll(call, options.operands.slice(0, 1))
    if (call.args.some((arg) => /^-[rq\d]*r[rq\d]*$/.test(arg)) && !options.has("-x", "-i", "--exclude"))
      keepCopies(call, archive, paths, call.frame.cwd)
    return ""
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
    const [folder = "."] = options.values("-C", "--directory")
    const target = resolvePath(folder, call.frame, call.run)
    // What the last commit has, over what the work tree has.
    if (/\bgit\b.*\barchive\b/.test(call.frame.pipe))
      call.run.loses({ ask: "tree", cwd: isKnown(target) ? target : call.frame.cwd, paths: ["."] })
    const strip = Number(options.values("--strip-components", "--strip")[0] ?? 0)
    const [file = "-"] = options.values("-f", "--file")
    // What comes through a pipe has most often a folder of its own, unless that is taken off or one is named for it.
    const isOver = file !== "-" || strip > 0 || folder !== "."
    if (isOver && !options.has("-k", "--keep-old-files", "--skip-old-files"))
      unpack(call, file, folder, "tar", strip)
    return writeAll(call, [folder, ...options.operands.map((member) => `${folder}/${member}`)])
  }
  const [folder = "."] = options.values("-C", "--directory")
  const cwd = resolvePath(folder, call.frame, call.run)
  if (options.has("--remove-files"))
    for (const path of options.operands) judgeRemoval(path, { ...call.frame, cwd }, call.run, true)
  const archives = options.values("-f", "--file").filter((file) => file !== "-")
  // `tar cf src/a.ts src/b.ts`: the archive was forgotten.
  if (options.has("-c", "--create"))
    for (const file of archives) if (!ARCHIVE.test(file)) judgeReplacement(file, call.frame, call.run)
  writeAll(call, archives)
  // With other options some of it may be left out.
  if (args.every((arg) => !arg.startsWith("-") || PACKS_ALL.test(arg)))
    keepCopies(call, archives[0], options.operands, cwd)
  return ""
}

function unpack(
  { frame, run }: Call,
  file: string | undefined,
  folder: string,
  format: "tar" | "zip",
  strip = 0,
): void {
  if (file === undefined || frame.elsewhere || !Number.isInteger(strip)) return
  const archive = file === "-" ? null : resolvePath(file, frame, run)
  const target = resolvePath(folder, frame, run)
  if (isKnown(archive ?? "") && isKnown(target))
    run.loses({ ask: "unpacked", archive, folder: target, format, strip })
}

function compress(call: Call): string {
  const { frame, run } = call
  const options = parseOptions(call.args)
  if (options.has("-c", "--stdout", "-t", "-l") || options.operands.length === 0) {
    call.run.addKind("read")
    return call.frame.stdin
  }
  const unpacks = /^(b?g?un|unxz|unzstd)/.test(call.name) || options.has("-d", "--decompress", "--uncompress")
  for (const file of options.operands) {
    const made = unpacks ? file.replace(/\.(gz|bz2|xz|zst|lzma)$/, "") : file + (ENDINGS.get(call.name) ?? "")
    if (made === file) continue
    // Without -f it asks, and nobody answers.
    if (options.has("-f", "--force")) judgeReplacement(made, frame, run, { from: file })
    const [from, to] = [resolvePath(file, frame, run), resolvePath(made, frame, run)]
    if (options.has("-k", "--keep") || call.name === "zstd") noteCopy(run.done, from, to)
    else run.moves.set(to, from)
  }
  return writeAll(call, options.operands)
}

/** What is in an archive may be deleted where it was. */
function keepCopies(
  { frame, run }: Call,
  archive: string | undefined,
  paths: readonly string[],
  cwd: string,
): void {
  if (archive === undefined || archive === "-" || frame.elsewhere) return
  const to = resolvePath(archive, frame, run)
  // With a date in its name it is an archive all the same.
  if ((!isKnown(to) && !ARCHIVE.test(archive)) || isDiscarded(to)) return
  for (const [n, path] of paths.entries()) {
    const from = resolvePath(path, { ...frame, cwd }, run)
    if (isKnown(from)) noteCopy(run.done, from, `${to}/${n}`)
  }
}

const PACKS_ALL =
  /^(-[cfzjJvapC]+|--(create|file|directory|gzip|bzip2|xz|zstd|verbose|auto-compress|remove-files)(=.*)?)$/
const ARCHIVE = /\.(tar|t[gbx]z2?|tzst|gz|bz2|xz|zst|zip|jar|war)$/
const ENDINGS = new Map([
  ["gzip", ".gz"],
  ["bzip2", ".bz2"],
  ["xz", ".xz"],
  ["zstd", ".zst"],
])
