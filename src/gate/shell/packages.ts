import { scriptKind } from "./command-kind.ts"
import { childFrame } from "./frame.ts"
import { parseOptions, setOf } from "./options.ts"
import { resolvePath } from "./paths.ts"
import { type Call, type Program, type Programs, sameFor } from "./program.ts"
import { UNKNOWN } from "./unknown-text.ts"

/** Package managers: an install changes the manifest and the lock file; a script they run is not read. */
export const packages: Programs = {
  npm: (call) => runManager(call, "package-lock.json"),
  pnpm: (call) => runManager(call, "pnpm-lock.yaml"),
  yarn: (call) => runManager(call, "yarn.lock"),
  bun: (call) => runManager(call, "bun.lock"),
  corepack: ({ args, frame, run }) => run.runProgram(args, frame),
  ...sameFor("npx pnpx bunx uvx", runPackage),
  cargo: manifests(/^(add|remove|rm|update)$/, ["Cargo.toml", "Cargo.lock"], /^(fmt|fix)$/),
  go: (call) => {
    const [verb, name = ""] = call.args
    if (verb !== "env" || !/^GO(MOD)?CACHE$/.test(name)) return goManifests(call)
    call.run.addKind("read")
    return `${call.run.home}/.cache/go-build`
  },
  composer: manifests(/^(require|remove|update|install)$/, ["composer.json", "composer.lock"]),
}

function runManager(call: Call, lock: string): string | undefined {
  const { name, frame, run } = call
  const options = parseOptions(call.args, GLOBAL_VALUED, true)
  const [folder] = options.values("--prefix", "-C", "--dir", "--cwd")
  const inner = folder === undefined ? frame : childFrame(frame, { cwd: resolvePath(folder, frame, run) })
  const [first = name === "yarn" ? "install" : "", ...rest] =
    options.operands[0] === "workspace" ? options.operands.slice(2) : options.operands
  if (name === "bun" && options.has("-e", "--eval", "-p"))
    return run.runProgram(["node", ...call.args], frame)
  if (INSTALLS.has(first) || (first === "audit" && rest.includes("fix"))) {
    run.addKind("write")
    if (rest.some((arg) => arg === "-g" || arg === "--global") || options.has("-g", "--global"))
      return UNKNOWN
    for (const file of ["package.json", lock]) run.writes(file, inner)
    return UNKNOWN
  }
  if (LOOKS.has(first) || first === "") {
    run.addKind("read")
    const isGlobal = call.args.some((arg) => arg === "-g" || arg === "--global")
    if (!isGlobal && (first === "root" || first === "bin"))
      return `${inner.cwd}/node_modules${first === "bin" ? "/.bin" : ""}`
    return /^(config )?get cache$/.test([first, ...rest].join(" ")) ? `${run.home}/.npm/_cacache` : UNKNOWN
  }
  if (/^(exec|x|dlx)$/.test(first)) return runPackage({ ...call, args: rest, frame: inner })
  if (first === "ci") run.writes("node_modules", inner)
  else if (/^(init|version|pkg)$/.test(first)) run.writes("package.json", inner)
  else if (first === "unpublish") run.destroys("takes a published package back")
  else return runScript(first, rest, { ...call, frame: inner })
  run.addKind("write")
  return UNKNOWN
}

function runScript(first: string, rest: readonly string[], call: Call): string | undefined {
  const { name, frame, run } = call
  const isRun = /^(run|run-script)$/.test(first)
  const script = isRun ? (parseOptions(rest, GLOBAL_VALUED, true).operands[0] ?? "") : first
  if (isRun && script === "") {
    run.addKind("read")
    return UNKNOWN
  }
  if (NPM_OWN.has(first)) {
    run.addKind("other")
    return UNKNOWN
  }
  // `yarn eslint .` runs a package's program; `bun x.ts` a file.
  if (!isRun && (name === "yarn" || name === "pnpm" || name === "bun") && !SCRIPTS.has(script)) {
    if (name === "bun" && /\.[cm]?[jt]sx?$/.test(script))
      return run.runProgram(["node", first, ...rest], frame)
    run.runProgram([first, ...rest], frame)
  }
  run.addKind(scriptKind(script))
  return UNKNOWN
}

/** `npx rimraf@5 src`: a program by the name of its package. */
function runPackage({ args, frame, run }: Call): string | undefined {
  const options = parseOptions(args, setOf("-p --package -c --call --from --with"), true)
  for (const text of options.values("-c", "--call")) run.runText(text, childFrame(frame))
  const [first, ...rest] = options.operands
  if (first === undefined) return UNKNOWN
  const name =
    first
      .replace(/(?<=.)@[^/]*$/, "")
      .split("/")
      .at(-1) ?? ""
  return run.runProgram([name, ...rest], frame)
}

/** `changes` are the verbs that write the manifest's `files`, `rewrites` those that change source files. */
function manifests(changes: RegExp, files: readonly string[], rewrites?: RegExp): Program {
  return ({ args, frame, run }) => {
    const [verb = ""] = args.filter((arg) => !/^[-+]/.test(arg))
    const onlyChecks = args.includes("--check")
    if (changes.test(verb)) for (const file of files) run.writes(file, frame)
    else if (rewrites?.test(verb) && !onlyChecks) run.writes(".", frame)
    run.addKind(changes.test(verb) ? "write" : onlyChecks ? "build" : scriptKind(verb))
    return UNKNOWN
  }
}

const goManifests = manifests(/^(get|mod)$/, ["go.mod", "go.sum"], /^(fmt|generate)$/)
const GLOBAL_VALUED = setOf("--prefix -C --dir --cwd -w --workspace --filter -F --loglevel --registry")
const INSTALLS = setOf(
  "install i in ins add remove rm uninstall un unlink r update up upgrade dedupe link ln prune import install-test",
)
const LOOKS = setOf(
  "view info show ls list ll la outdated why explain audit search root prefix bin whoami config get ping help docs " +
    "repo bugs fund licenses -v",
)
const NPM_OWN = setOf(
  "publish pack login logout cache doctor owner access team token dist-tag deprecate star create",
)
const SCRIPTS = setOf("test t tst start stop restart build lint format typecheck dev")
