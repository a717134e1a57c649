import { reads, writeAll } from "./file-writes.ts"
import { childFrame } from "./frame.ts"
import { parseOptions, setOf } from "./options.ts"
import { isInHive, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"

/** Editors that take their commands from the command line. What they change is an edit, unless nothing is left of the file. */
export const editors: Programs = {
  ...sameFor("sed gsed", runSed),
  ...sameFor("vim vi nvim ex view", (call) => {
    const options = parseOptions(call.args, setOf("-c --cmd -u -i -S -T"))
    const files =
      options.has("-R") || call.name === "view"
        ? []
        : options.operands.filter((word) => !word.startsWith("+"))
    const typed = options.operands.filter((word) => word.startsWith("+")).map((word) => word.slice(1))
    return edit(call, files, [...options.values("-c", "--cmd"), ...typed, call.frame.stdin])
  }),
  ed: (call) => edit(call, parseOptions(call.args, setOf("-p")).operands, [call.frame.stdin]),
}

function runSed(call: Call): string {
  const inPlace = call.args.some((arg) => /^-[nErsuz]*i|^--in-?p/.test(arg))
  // `w file` in a script; a text with such words in it is no path into HiveMind's folder.
  for (const arg of call.args)
    for (const [, file = ""] of arg.slice(0, MAX_SCRIPT_CHARS).matchAll(SED_WRITES))
      if (isInHive(resolvePath(file, call.frame, call.run))) call.run.writes(file, call.frame)
  const scripts = call.args.map((arg) => arg.replace(/^--expression=/, "").slice(0, MAX_SCRIPT_CHARS))
  for (const script of scripts)
    for (const [, file = ""] of script.matchAll(SED_WRITES_SURELY)) {
      call.run.writes(file, call.frame)
      judgeReplacement(file, call.frame, call.run)
    }
  if (!inPlace) return reads(call)
  // After -i GNU takes an ending at once, BSD in a word of its own, most often an empty one.
  const args = call.args.filter((arg) => arg !== "" && !/^-[nErsuz]*i|^--in-?p/.test(arg))
  const glued = call.args.some((arg) => /^-[nErsuz]*i[nErsuz]*e$/.test(arg))
  const options = parseOptions(args, setOf("-e -f --expression --file -l"))
  const hasScript = options.has("-e", "-f", "--expression", "--file") && !glued
  // With nothing but a file behind it, the empty word is the script.
  const isEmpty = !hasScript && options.operands.length === 1 && call.args.includes("")
  const files = hasScript || isEmpty ? options.operands : options.operands.slice(1)
  const [script = ""] = hasScript ? options.values("-e", "--expression") : isEmpty ? [] : options.operands
  const isSilent = call.args.some((arg) => /^-[Ersuzi]*n|^--quiet|^--silent/.test(arg))
  if (EMPTIES_LINES.test(script) || (isSilent && !/[pwP]/.test(script)))
    for (const file of files) judgeReplacement(file, call.frame, call.run)
  return writeAll(call, files)
}

/** `scripts` are commands of ed's kind, one per line or with a bar between them. */
function edit(call: Call, files: readonly string[], scripts: readonly string[]): string {
  const { frame, run } = call
  const commands = scripts.flatMap((script) => script.slice(0, MAX_SCRIPT_CHARS).split(/[\n|]/))
  for (const command of commands) {
    if (EMPTIES_FILE.test(command)) for (const file of files) judgeReplacement(file, frame, run)
    const [, other] = WRITES_OTHER.exec(command) ?? []
    if (other !== undefined) {
      run.writes(other, frame)
      judgeReplacement(other, frame, run)
    }
    const [, shell] = RUNS.exec(command) ?? []
    if (shell !== undefined) run.runText(shell, childFrame(frame, { stdin: "" }))
  }
  return writeAll(call, files)
}
// `d`, `1,$d`, `/./d`, `s/.*//`: for every line that there is.
const EMPTIES_LINES =
  /^\s{0,40}(1,\$|\/(\^|\$|\.|\^?\.[*+]\$?)?\/)?\s{0,40}([dc]\b.*|s([/|#,])\^?\.\*\$?\4\4[gI]*);?\s*$/s
const EMPTIES_FILE = /^[\s:]{0,40}(%|,|1,\$|0,\$|g\/\.?\/)\s{0,40}d(el(ete)?)?!?\s*$/
const WRITES_OTHER = /^[\s:]{0,40}(?:%|,|1,\$)?\s{0,40}(?:w|write|sav|saveas)!?\s+(?!>>|!)(\S+)\s*$/
const RUNS = /^[\s:]{0,40}(?:sil(?:ent)?!?\s{1,40})?(?:%|,|\.)?!\s*(.+)$/
const SED_WRITES = /[wW][ \t]{0,9}([^\s;}]{1,500})/g
/** Where a command of sed's may stand: at the beginning, after an address, or behind the flags of `s`. */
const SED_WRITES_SURELY = /(?:^|[;{}\n$\d/][gpiI\d]{0,4})[ \t]{0,9}w[ \t]{1,9}([^\n;}]{1,500}?)[ \t]*$/gm
const MAX_SCRIPT_CHARS = 20_000
