import { noteMade } from "./done-so-far.ts"
import { childFrame, type Frame } from "./frame.ts"
import { parseOptions, setOf } from "./options.ts"
import { isInHive, noteFolder, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { inputsOf, isMadeFrom, judgeReplacement } from "./replaces.ts"
import { isKnown, UNKNOWN } from "./unknown-text.ts"

/** Programs whose work is to make or change files. */
export const fileWrites: Programs = {
  touch: (call) => writeAll(call, parseOptions(call.args, setOf("-d -t -r --date --reference")).operands),
  ...sameFor("mkdir mkfifo", (call) => {
    const { operands } = parseOptions(call.args, setOf("-m --mode"))
    if (call.name === "mkdir") for (const path of operands) noteFolder(path, call.frame, call.run)
    return writeAll(call, operands)
  }),
  tee: (call) => {
    const { frame, run } = call
    const options = parseOptions(call.args)
    writeAll(call, options.operands)
    for (const file of options.operands) {
      const path = resolvePath(file, frame, run)
      run.files.set(path, frame.stdin)
      if (options.has("-a", "--append")) continue
      judgeReplacement(file, frame, run)
      noteMade(run.done, path, () => inputsOf(frame.pipe.split(/\|[^|]*\btee\b/)[0] ?? "", frame))
    }
    return frame.stdin
  },
  // It reads all before it writes: most often what the file had itself.
  sponge: (call) => {
    const { frame, run } = call
    const options = parseOptions(call.args)
    const isEdit = (file: string) =>
      options.has("-a") || isMadeFrom(frame.pipe.split("sponge")[0], resolvePath(file, frame, run))
    for (const file of options.operands) if (!isEdit(file)) judgeReplacement(file, frame, run)
    return writeAll(call, options.operands)
  },
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
    if (options.has("-R", "--reverse") && !options.has("-i", "--input") && takesDiffBack(frame))
      run.loses({ ask: "tree", cwd: frame.cwd })
    const outputs = options.values("-o", "--output").filter((file) => file !== "-")
    for (const file of outputs) judgeReplacement(file, frame, run)
    const named = [...options.values("-d", "--directory"), ...outputs, ...options.operands.slice(0, 1)]
    const paths = named.length > 0 ? named : pathsInPatch(frame.stdin)
    if (paths === undefined) run.writesUnknownPath(frame)
    for (const path of paths ?? []) run.writes(path, frame)
    return UNKNOWN
  },
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
  // What they make is named last, without an option; ffmpeg asks before it replaces a file.
  ...sameFor("ffmpeg convert magick", ({ name, args, frame, run }) => {
    const [target = "", ...others] = [...args].reverse()
    run.addKind("other")
    const isLook = args[0] === "identify" || args[0] === "display"
    if (isLook || (name === "ffmpeg" && !args.includes("-y"))) return UNKNOWN
    if (target.startsWith("-") || others.includes(target)) return UNKNOWN
    if (isInHive(resolvePath(target, frame, run))) run.writes(target, frame)
    judgeReplacement(target, frame, run)
    return UNKNOWN
  }),
  split: (call) => {
    const [, prefix = "."] = parseOptions(call.args, setOf("-a -b -C -l -n -t")).operands
    return writeAll(call, [prefix])
  },
}

/** `git diff | patch -R`, and the same by `<(git diff)`: only that text had the changes. */
export function takesDiffBack({ pipe, source }: Frame): boolean {
  return /\bgit\b[^;&|\n]*\bdiff\b/.test(pipe === "" ? source : pipe)
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

export function writeAll({ frame, run }: Call, paths: readonly string[]): string {
  run.addKind("write")
  for (const path of paths) run.writes(path, frame)
  return ""
}

function writeOrRead(call: Call, paths: readonly string[]): string {
  return paths.length > 0 ? writeAll(call, paths) : reads(call)
}

export function reads({ run }: Call): string {
  run.addKind("read")
  return UNKNOWN
}

function runAwk(call: Call): string {
  const options = parseOptions(call.args, setOf("-F -v -f -i --include"))
  const [code = "", ...files] = options.operands
  // Only literal text of the program: a file it prints into, a command it runs.
  for (const [, sign, path = ""] of code.matchAll(/(>>?)\s*"([^"\n]{1,200})"/g)) {
    call.run.writes(path, call.frame)
    if (sign === ">") judgeReplacement(path, call.frame, call.run)
  }
  // `-v o=file` and `print > o`.
  for (const setting of options.values("-v")) {
    const [, name = "", path = ""] = /^(\w{1,40})=(.*)$/s.exec(setting) ?? []
    if (name === "" || !new RegExp(`>>?\\s*${name}\\b`).test(code)) continue
    call.run.writes(path, call.frame)
    if (!code.includes(">>")) judgeReplacement(path, call.frame, call.run)
  }
  for (const [, text = ""] of code.matchAll(/(?:system\s*\(\s*|\|\s*)"([^"\n]{1,500})"/g))
    call.run.runText(text, childFrame(call.frame, { stdin: UNKNOWN }))
  if (options.values("-i", "--include").includes("inplace")) {
    // A program that prints nothing of it.
    if (/^\s*(0|\{\s*\}|BEGIN\s*\{[^}]*\})?\s*$/.test(code))
      for (const file of files) judgeReplacement(file, call.frame, call.run)
    return writeAll(call, files)
  }
  return reads(call)
}
