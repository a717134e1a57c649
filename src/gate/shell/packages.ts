import { HOLE, readable } from "./hole.ts"
import { kindOfScript } from "./kinds.ts"
import { parseOptions, setOf } from "./options.ts"
import { placeOf } from "./places.ts"
import { type Call, child, type Program, type Programs } from "./run.ts"

/** Package managers: what they install changes the manifest and the lock; a script they run cannot be seen. */
export const packages: Programs = {
  npm: (call) => runManager(call, "package-lock.json"),
  pnpm: (call) => runManager(call, "pnpm-lock.yaml"),
  yarn: (call) => runManager(call, "yarn.lock"),
  bun: (call) => runManager(call, "bun.lock"),
  corepack: ({ args, frame, run }) => run.argv(args, frame),
  npx: runPackage,
  pnpx: runPackage,
  bunx: runPackage,
  uvx: runPackage,
  ...manifests("cargo", /^(add|remove|rm|update)$/, ["Cargo.toml", "Cargo.lock"]),
  ...manifests("go", /^(get|mod)$/, ["go.mod", "go.sum"]),
  ...manifests("composer", /^(require|remove|update|install)$/, ["composer.json", "composer.lock"]),
}

function runManager(call: Call, lock: string): string | undefined {
  const { name, frame, run } = call
  const options = parseOptions(call.args, GLOBAL_VALUED, true)
  const [folder] = options.values("--prefix", "-C", "--dir", "--cwd")
  const inner = folder === undefined ? frame : child(frame, { cwd: placeOf(folder, frame, run) })
  const [first = name === "yarn" ? "install" : "", ...rest] =
    options.operands[0] === "workspace" ? options.operands.slice(2) : options.operands
  if (name === "bun" && options.has("-e", "--eval", "-p")) return run.argv(["node", ...call.args], frame)
  if (INSTALLS.has(first) || (first === "audit" && rest.includes("fix"))) {
    run.does("write")
    if (rest.some((arg) => arg === "-g" || arg === "--global") || options.has("-g", "--global")) return HOLE
    for (const file of ["package.json", lock]) run.writes(file, inner)
    return HOLE
  }
  if (first === "ci") run.writes("node_modules", inner)
  else if (/^(init|version|pkg|set-script)$/.test(first)) run.writes("package.json", inner)
  else if (first === "unpublish") run.destroys("takes a published package back")
  else if (/^(exec|x|dlx)$/.test(first)) return runPackage({ ...call, args: rest, frame: inner })
  else if (LOOKS.has(first) || first === "") run.does("read")
  else return runScript(first, rest, { ...call, frame: inner })
  run.does(LOOKS.has(first) || first === "" ? "read" : "write")
  return HOLE
}

function runScript(first: string, rest: readonly string[], call: Call): string | undefined {
  const { name, frame, run } = call
  const isRun = /^(run|run-script|rum|urn)$/.test(first)
  const script = isRun ? (parseOptions(rest, GLOBAL_VALUED, true).operands[0] ?? "") : first
  if (isRun && script === "") {
    run.does("read")
    return HOLE
  }
  if (NPM_OWN.has(first)) {
    run.does("other")
    return HOLE
  }
  // `yarn eslint .` runs a package's program; `bun x.ts` a file.
  if (!isRun && (name === "yarn" || name === "pnpm" || name === "bun") && !SCRIPTS.has(script)) {
    if (name === "bun" && /\.[cm]?[jt]sx?$/.test(script)) return run.argv(["node", first, ...rest], frame)
    run.argv([first, ...rest], frame)
  }
  run.unseen(`what the script "${readable(script)}" does`)
  run.does(kindOfScript(script))
  return HOLE
}

/** `npx rimraf@5 src`: a program by the name of its package. */
function runPackage({ args, frame, run }: Call): string | undefined {
  const options = parseOptions(args, setOf("-p --package -c --call --from --with"), true)
  for (const text of options.values("-c", "--call")) run.text(text, child(frame))
  const [first, ...rest] = options.operands
  if (first === undefined) return HOLE
  const name =
    first
      .replace(/(?<=.)@[^/]*$/, "")
      .split("/")
      .at(-1) ?? ""
  return run.argv([name, ...rest], frame)
}

function manifests(name: string, verb: RegExp, files: readonly string[]): Programs {
  const program: Program = ({ args, frame, run }) => {
    const [first = "", second = ""] = args.filter((arg) => !/^[-+]/.test(arg))
    if (verb.test(first)) for (const file of files) run.writes(file, frame)
    else if (name === "cargo" && (first === "fmt" || first === "fix")) run.writes(".", frame)
    else if (name === "go" && (first === "fmt" || first === "generate")) run.writes(".", frame)
    else if (/^(run|generate)$/.test(first)) run.unseen(`what ${name} ${readable(`${first} ${second}`)} does`)
    run.does(verb.test(first) ? "write" : kindOfScript(first))
    return HOLE
  }
  return { [name]: program }
}

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
