import { posix } from "node:path"
import { judgeRemoval } from "./deletes.ts"
import { noteCopy } from "./done-so-far.ts"
import { moveOn } from "./moved.ts"
import { type Options, parseOptions, setOf } from "./options.ts"
import { isDiscarded, resolvePath } from "./paths.ts"
import { type Call, type Programs, sameFor } from "./program.ts"
import { judgeReplacement } from "./replaces.ts"
import { isKnown } from "./unknown-text.ts"

/** Programs that copy, move and link: what is at the target is replaced. */
export const copying: Programs = {
  ...sameFor("cp install", (call) => {
    const { frame, run } = call
    run.addKind("write")
    const { each, replaces, copiesAll } = copied(call)
    for (const { source, target, into } of each) {
      run.writes(target, frame)
      if (replaces) replace(call, target, { from: source, into })
      if (copiesAll && call.name === "cp") keepCopy(call, source, target)
    }
    return ""
  }),
  ln: (call) => {
    const { frame, run } = call
    const options = parseOptions(call.args, COPY_VALUED)
    const isSymbolic = options.has("-s", "--symbolic")
    const isInFolder = !options.has("-n", "-T", "--no-dereference", "--no-target-directory")
    // Without -f it fails where there is something.
    const isForced = options.has("-f", "--force")
    for (const { source, target, into } of copied(call).each) {
      run.writes(target, frame)
      if (isForced) replace(call, target, { from: source, into: isInFolder ? into : "", replacesLinks: true })
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
    const { each, replaces, copiesAll } = copied(call)
    for (const { source, target, into } of each) {
      // Before it is forgotten that what comes back is a copy of what is there.
      if (replaces) replace(call, target, { from: source, into, replacesLinks: true })
      run.removes(source, frame, true)
      if (target === "/dev/null") judgeRemoval(source, frame, run, true)
      else {
        const to = resolvePath(target, frame, run)
        const isInside = into !== "" && run.isFolder(to)
        moveOn(resolvePath(source, frame, run), isInside ? `${to}/${into}` : to, run)
      }
      run.writes(target, frame)
      if (copiesAll) keepCopy(call, source, target)
    }
    return ""
  },
}

interface Copied {
  source: string
  target: string
  /** The name it gets where the target is a folder that is there already. */
  into: string
}

/** Where each of the named files goes, and whether what is there is replaced and all of it copied. */
function copied({ name, args, run }: Call): { each: Copied[]; replaces: boolean; copiesAll: boolean } {
  const options = parseOptions(args, COPY_VALUED)
  // With a backup, or where it keeps what is there, nothing is replaced.
  const keeps = options.has("-b", "--backup", "-n", "--no-clobber", "-i", "--interactive", "-S", "--suffix")
  const all = destinations(name, options)
  if (all.length > MAX_COPIED) run.destroys("copies, moves or links more than can be looked at")
  return {
    each: all.length > MAX_COPIED ? [] : all,
    replaces: !keeps || options.has("-f", "--force"),
    // With any other option it may be a link, or nothing at all.
    copiesAll: !args.some((arg) => arg.startsWith("-") && !COPIES_ALL.test(arg)),
  }
}

function destinations(program: string, options: Options): Copied[] {
  const { operands } = options
  if (program === "install" && options.has("-d"))
    return operands.map((one) => ({ source: one, target: one, into: "" }))
  const [folder] = options.values("-t", "--target-directory")
  // With one name they only fail, but for `ln`.
  if (folder === undefined && operands.length < 2 && program !== "ln") return []
  const target = folder ?? (operands.length > 1 ? (operands.at(-1) ?? ".") : ".")
  const sources = folder === undefined && operands.length > 1 ? operands.slice(0, -1) : operands
  const isFolder = folder !== undefined || sources.length > 1 || /(^|\/)(\.{0,2})$/.test(target)
  return sources.map((source) => {
    const name = source.replace(/\/+$/, "").split("/").at(-1) ?? ""
    return isFolder ? { source, target: `${target}/${name}`, into: "" } : { source, target, into: name }
  })
}

function replace(
  { frame, run }: Call,
  target: string,
  { from, into, replacesLinks = false }: { from: string; into: string; replacesLinks?: boolean },
): void {
  judgeReplacement(target, frame, run, { from, replacesLinks, ...(into !== "" && { into }) })
}

function keepCopy({ frame, run }: Call, source: string, target: string): void {
  const to = resolvePath(target, frame, run)
  const from = resolvePath(source, frame, run)
  run.aside.set(to, from)
  if (!frame.elsewhere && !isDiscarded(to) && isKnown(from)) noteCopy(run.done, from, to)
}

/** Each is compared with those before it; as many as may be deleted at once. */
const MAX_COPIED = 200
const COPIES_ALL =
  /^(-[afprRvdLHPTt]*|--(archive|recursive|preserve(=.*)?|verbose|force|no-target-directory|target-directory(=.*)?))$/
const COPY_VALUED = setOf("-t --target-directory -S --suffix -m --mode -o --owner -g --group")
