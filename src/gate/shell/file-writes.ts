import { posix } from "node:path"
import { judgeRemoval } from "./deletes.ts"
import { noteCopy, noteMade } from "./done-so-far.ts"
import { parseOptions, setOf } from "./options.ts"
import { isDiscarded, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"

/** Programs whose work is to make, change or move files. */
export const fileWrites: Programs = {
  touch: (call) => writeAll(call, parseOptions(call.args, setOf("-d -t -r --date --reference")).operands),
  ...sameFor("mkdir mkfifo", (call) => writeAll(call, parseOptions(call.args, setOf("-m --mode")).operands)),
  tee: (call) => {
    const { frame, run } = call
    const options = parseOptions(call.args)
    writeAll(call, options.operands)
    for (const file of options.operands) {
      const path = resolvePath(file, frame, run)
      run.files.set(path, frame.stdin)
      if (options.has("-a", "--append")) continue
      judgeReplacement(file, frame, run)
      noteMade(run.done, path, frame.pipe)
    }
    return frame.stdin
  },
  ...sameFor("cp install", (call) => {
    for (const { source, target, into } of copied(call)) {
      writeAll(call, [target])
      replace(call, target, { from: source, into })
      if (call.name === "cp") keepCopy(call, source, target)
    }
    return ""
  }),
  ln: (call) => {
    const { frame, run } = call
    const options = parseOptions(call.args, COPY_VALUED)
    const isSymbolic = options.has("-s", "--symbolic")
    for (const { source, target, into } of copied(call)) {
      writeAll(call, [target])
      // Without -f it fails where there is something.
      const inFolder = options.has("-n", "-T", "--no-dereference", "--no-target-directory") ? "" : into
      if (options.has("-f", "--force"))
        replace(call, target, { from: source, into: inFolder, replacesLinks: true })
      const path = resolvePath(target, frame, run)
      // A symbolic link starts from its own folder; a hard one is the file itself under another name.
      const from = isSymbolic ? { ...frame, cwd: posix.dirname(path) } : frame
      if (isSymbolic) run.links.set(path, resolvePath(source, from, run))
      else run.writes(source, frame)
    }
    return ""
  },
  mv: (call) => {
    const { frame, run } = call
    for (const { source, target, into } of copied(call)) {
      run.removes(source, frame, true)
      if (target === "/dev/null") judgeRemoval(source, frame, run, true)
      else run.moves.set(resolvePath(target, frame, run), resolvePath(source, frame, run))
      writeAll(call, [target])
      replace(call, target, { from: source, into, replacesLinks: true })
      keepCopy(call, source, target)
    }
    return ""
  },
  ...sameFor("sed gsed", editInPlace),
  // `sd find replace files`: without files it is a filter.
  sd: (call) => writeOrRead(call, parseOptions(call.args, setOf("-f -n")).operands.slice(2)),
  yq: (call) => {
    const options = parseOptions(call.args)
    const inPlace = options.has("-i", "--inplace", "--in-place")
    return writeOrRead(call, inPlace ? options.operands.slice(options.operands.length > 1 ? 1 : 0) : [])
  },
  ...sameFor("awk gawk mawk", runAwk),
  patch: ({ args, frame, run }) => {
    const options = parseOptions(args, setOf("-p -i -d -o --input --directory --output --strip"))
    run.addKind("write")
    if (options.has("--dry-run", "-C")) return UNKNOWN
    if (options.has("-R", "--reverse") && /\bgit\b.*\bdiff\b/.test(frame.pipe))
      run.loses({ ask: "tree", cwd: frame.cwd })
    const paths = options.operands.length > 0 ? options.operands.slice(0, 1) : pathsInPatch(frame.stdin)
    if (paths === undefined) run.writesUnknownPath(frame)
    for (const path of paths ?? []) run.writes(path, frame)
    return UNKNOWN
  },
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
  sort: (call) => {
    const options = parseOptions(call.args, setOf("-o --output -k -t --key -S -T"))
    const files = options.values("-o", "--output")
    // Over the file that it reads it is an edit of it.
    for (const file of files)
      if (!options.operands.includes(file)) judgeReplacement(file, call.frame, call.run)
    if (files.length > 0) return writeAll(call, files)
    reads(call)
    return options.operands.length === 0 ? call.frame.stdin : UNKNOWN
  },
  split: (call) => writeAll(call, ["."]),
}

/** The files that a patch changes; undefined if there is no patch to look at. */
export function pathsInPatch(patch: string): string[] | undefined {
  if (patch === "" || !isKnown(patch)) return undefined
  const paths: string[] = []
  for (const line of patch.split("\n")) {
    const name = /^(?:\+\+\+|---) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1]?.trim()
    if (name !== undefined && name !== "/dev/null" && name !== "dev/null") paths.push(name)
  }
  return paths.length === 0 ? undefined : [...new Set(paths)]
}

function writeAll({ frame, run }: Call, paths: readonly string[]): string {
  run.addKind("write")
  for (const path of paths) run.writes(path, frame)
  return ""
}

function writeOrRead(call: Call, paths: readonly string[]): string {
  return paths.length > 0 ? writeAll(call, paths) : reads(call)
}

function reads({ run }: Call): string {
  run.addKind("read")
  return UNKNOWN
}

interface Copied {
  source: string
  target: string
  /** The name it gets where the target is a folder that is there already. */
  into: string
}

/** Where each of the named files goes. */
function copied(call: Call): Copied[] {
  const options = parseOptions(call.args, COPY_VALUED)
  const { operands } = options
  if (call.name === "install" && options.has("-d"))
    return operands.map((one) => ({ source: one, target: one, into: "" }))
  const [folder] = options.values("-t", "--target-directory")
  const target = folder ?? (operands.length > 1 ? (operands.at(-1) ?? ".") : ".")
  const sources = folder === undefined && operands.length > 1 ? operands.slice(0, -1) : operands
  const isFolder = folder !== undefined || sources.length > 1 || /(^|\/)(\.{0,2})$/.test(target)
  return sources.map((source) => {
    const name = source.replace(/\/+$/, "").split("/").at(-1) ?? ""
    return isFolder ? { source, target: `${target}/${name}`, into: "" } : { source, target, into: name }
  })
}

/** With a backup, or where it keeps what is there, nothing is replaced. */
function replace(
  { args, frame, run }: Call,
  target: string,
  { from, into, replacesLinks = false }: { from: string; into: string; replacesLinks?: boolean },
): void {
  const options = parseOptions(args, COPY_VALUED)
  const keeps = options.has("-b", "--backup", "-n", "--no-clobber", "-i", "--interactive", "-S", "--suffix")
  if (keeps && !options.has("-f", "--force")) return
  judgeReplacement(target, frame, run, { from, replacesLinks, ...(into !== "" && { into }) })
}

function keepCopy({ args, frame, run }: Call, source: string, target: string): void {
  if (parseOptions(args, COPY_VALUED).has("-n", "--no-clobber", "-u", "--update", "-i", "--interactive"))
    return
  const to = resolvePath(target, frame, run)
  const from = resolvePath(source, frame, run)
  if (!frame.elsewhere && !isDiscarded(to) && isKnown(from)) noteCopy(run.done, from, to)
}

function editInPlace(call: Call): string {
  const inPlace = call.args.some((arg) => /^-[nErsuz]*i|^--in-?p/.test(arg))
  if (!inPlace) return reads(call)
  // After -i GNU takes an ending at once, BSD in a word of its own, most often an empty one.
  const args = call.args.filter((arg) => arg !== "" && !/^-[nErsuz]*i|^--in-?p/.test(arg))
  const glued = call.args.some((arg) => /^-[nErsuz]*i[nErsuz]*e$/.test(arg))
  const options = parseOptions(args, setOf("-e -f --expression --file -l"))
  const hasScript = options.has("-e", "-f", "--expression", "--file") && !glued
  const files = hasScript ? options.operands : options.operands.slice(1)
  return writeAll(call, files)
}

function runAwk(call: Call): string {
  const options = parseOptions(call.args, setOf("-F -v -f -i --include"))
  const [code = "", ...files] = options.operands
  // Only literal text of the program: a file it prints into, a command it runs.
  for (const [, path = ""] of code.matchAll(/>\s*"([^"\n]{1,200})"/g)) call.run.writes(path, call.frame)
  for (const [, text = ""] of code.matchAll(/(?:system\s*\(\s*|\|\s*)"([^"\n]{1,500})"/g))
    call.run.runText(text, { ...call.frame, stdin: UNKNOWN })
  if (options.values("-i", "--include").includes("inplace")) return writeAll(call, files)
  return reads(call)
}

function runTar(call: Call): string {
  const [first = "", ...rest] = call.args
  // The old way: `tar xzf file`, a bundle without a dash.
  const args = first.startsWith("-") ? call.args : [`-${first}`, ...rest]
  const options = parseOptions(args, setOf("-f -C --file --directory --exclude -T -X --transform"))
  if (options.has("-t", "--list")) return reads(call)
  if (options.has("-x", "--extract", "--get")) {
    if (options.has("-O", "--to-stdout")) return reads(call)
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

const COPY_VALUED = setOf("-t --target-directory -S --suffix -m --mode -o --owner -g --group")
