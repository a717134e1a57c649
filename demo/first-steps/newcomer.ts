import { execFile, execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { findOpencode } from "../../test/live/bed/opencode-binary.ts"
import { makeScratch, REPOSITORY } from "../../test/live/bed/scratch.ts"
import { type ScriptedModel, startScriptedModel } from "../../test/live/bed/scripted-model.ts"

/**
 * Somebody's machine on the day they hear of HiveMind: OpenCode, a model (scripted), a project of their own, and the package as
 * it would be published in the folder above.
 */
export interface Newcomer extends AsyncDisposable {
  root: string
  project: string
  model: ScriptedModel
  /** Runs a line of a shell in the project; all that it prints. */
  shell: (line: string) => Promise<string>
}

export async function newcomer(files: Record<string, string>): Promise<Newcomer> {
  const model = await startScriptedModel()
  const { root, project, env } = makeScratch(model.url, { config: { plugin: [] } })
  const bin = join(root, "bin")
  mkdirSync(bin)
  // What the bed has for a config is the user's own here; the project has none of it.
  execFileSync("mv", [join(project, "opencode.json"), join(root, "config", "opencode", "opencode.json")])
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  writeFileSync(join(bin, "opencode"), `#!/bin/sh\nexec "${findOpencode(REPOSITORY)}" "$@"\n`)
  chmodSync(join(bin, "opencode"), 0o755)
  const path = [join(root, "prefix", "bin"), bin, dirname(process.execPath), env["PATH"]].join(delimiter)
  const npm = {
    npm_config_prefix: join(root, "prefix"),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  }
  const surroundings = { ...env, ...npm, PATH: path, NO_COLOR: "1" }
  const shell = (line: string) =>
    new Promise<string>((resolve) => {
      const child = execFile("sh", ["-c", line], { cwd: project, env: surroundings }, (error, out, err) =>
        resolve(`${out}${err}${error === null ? "" : `[exit ${error.code}]\n`}`),
      )
      child.stdin?.end()
    })
  await shell("git init -q -b main && git config user.name you && git config user.email you@example.com")
  await shell("git add -A && git commit -qm 'The shop so far'")
  // Without its scripts: they would build again what others are running from.
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root], {
    cwd: REPOSITORY,
  })
  return {
    root,
    project,
    model,
    shell,
    async [Symbol.asyncDispose]() {
      await model.close()
      if (existsSync(root)) rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
