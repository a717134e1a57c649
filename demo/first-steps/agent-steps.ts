import { execFile, execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { type AgentBed, openAgentBed } from "../../test/agents/bed/bed.ts"
import { programPath } from "../../test/agents/bed/programs.ts"
import { REPOSITORY } from "../../test/live/bed/scratch.ts"
import { say } from "../../test/live/bed/steps.ts"
import { expectThat } from "../narrator.ts"
import { transcript } from "./transcript.ts"

/** How a person runs an agent without a screen, and what the page says about it. */
const AGENTS = {
  claude: {
    title: "First steps with Claude Code",
    run: (prompt: string) => `claude --dangerously-skip-permissions -p "${prompt}"`,
    trust:
      "Start `claude` once in the project and say that you trust the folder: until then it runs no hook.",
    doctor: "hivemind doctor",
    isLoaded: "claude hooks",
  },
  codex: {
    title: "First steps with Codex CLI",
    // Besides the answer it prints each hook and command.
    run: (prompt: string) =>
      `codex exec --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust "${prompt}" 2> /dev/null`,
    trust:
      "Codex runs no hook that you have not trusted. Start `codex` once in a terminal and trust them there; this walk has no terminal, so it tells Codex to run them all the same.",
    doctor: "hivemind doctor --no-start",
    isLoaded: "codex hooks",
  },
} as const
export type WalkedAgent = keyof typeof AGENTS
export const WALKED_AGENTS = Object.keys(AGENTS) as WalkedAgent[]

/** The first ten minutes of a new user of this agent, done with the real program, as a page for docs/. */
export async function agentSteps(agent: WalkedAgent): Promise<string> {
  const { title, run, trust, doctor, isLoaded } = AGENTS[agent]
  await using bed = await openAgentBed(agent, {
    files: SHOP,
    env: { npm_config_offline: "true", npm_config_update_notifier: "false" },
  })
  const { model, does } = bed
  const { says, runs, text } = transcript(userOf(bed), {
    path: programPath(agent),
    usualPath: `/usr/local/bin/${agent}`,
  })

  says(
    `# ${title}`,
    "<!-- Made by `npx tsx demo/first-steps/main.ts`: the package, the agent and git are real, the model follows a script. -->",
    "Every line below was run; `npm run test:agents` runs them again and compares.",
    "## Set up",
    "Until HiveMind is in the package registry, make the package from a clone (`npm ci && npm pack`) and install that file.",
  )
  await runs("npm install --global ../hivemind-opencode-0.1.0.tgz")
  await runs(`hivemind init --agent ${agent} --yes`)
  says(trust)
  const health = await runs(doctor)
  expectThat("doctor names the hooks", health.includes(isLoaded))

  says("## Say it once", "A rule that you only say is kept, and every later session is told.")
  model.script(say("pnpm it is."))
  await runs(run("From now on use pnpm, never npm."))
  const rules = await runs("hivemind rules")
  expectThat("the rule is kept", rules.includes("pnpm"))
  model.script(say("pnpm add is what we use here."))
  await runs(run("How do I add a dependency?"))
  const shown = await runs("hivemind context")
  expectThat("the next session was told the rule", shown.includes("pnpm"))

  says("## Uncommitted work is safe", "`notes.md` is not committed. A script of the agent deletes it.")
  await runs('echo "Ask the bank about refunds." > notes.md')
  model.script(does.run("node clean.js"), say("I cleaned up, and it took your notes.md."))
  await runs(run("Clean up."))
  const listed = await runs("hivemind restore")
  expectThat("the loss is listed", listed.includes("notes.md"))
  const snapshot = /\bS\d+\b/.exec(listed)?.[0] ?? ""
  await runs(`hivemind restore ${snapshot} notes.md --yes`)
  const notes = await runs("cat notes.md")
  expectThat("the file is back", notes.includes("refunds"))

  says("## Leave", "What `init` changed is taken back.")
  await runs(`hivemind uninstall --agent ${agent} --yes`)
  const left = await runs("git status --short")
  expectThat("nothing but the notes is left", left.trim() === "?? notes.md")
  return text()
}

/** Somebody at a terminal in the bed's project, with the package as it would be published in the folder above. */
function userOf({ project, home, env }: AgentBed) {
  const root = dirname(project)
  const prefix = join(root, "prefix")
  mkdirSync(join(prefix, "bin"), { recursive: true })
  // Without its scripts: they would build again what others are running from.
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root], {
    cwd: REPOSITORY,
  })
  const surroundings = {
    ...env,
    npm_config_prefix: prefix,
    PATH: `${join(prefix, "bin")}:${dirname(process.execPath)}:${env["PATH"]}`,
  }
  const shell = (line: string) =>
    new Promise<string>((resolve) => {
      const child = execFile("sh", ["-c", line], { cwd: project, env: surroundings }, (error, out, err) =>
        resolve(`${out}${err}${error === null ? "" : `[exit ${error.code}]\n`}`),
      )
      child.stdin?.end()
    })
  return { root: home, project, shell }
}

const SHOP = {
  "package.json": '{ "name": "shop", "private": true, "type": "module" }\n',
  "clean.js": 'import { rmSync } from "node:fs"\nrmSync("notes.md", { force: true })\n',
}
