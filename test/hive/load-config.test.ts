import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { loadConfig, mergeConfig } from "../../src/hive/load-config.ts"
import { defaultConfig } from "../../src/schemas/config.ts"
import { tempProject } from "../support/temp-project.ts"

it("every option has a default", () => {
  expect(mergeConfig([])).toEqual({ config: defaultConfig, problems: [] })
  expect(defaultConfig).toMatchObject({ governance: "assisted", stale_after_hours: 72 })
})

it("a later configuration layer overrides single options of an earlier one", () => {
  const { config } = mergeConfig([
    { name: "user", value: { governance: "off", stale_after_hours: 5 } },
    { name: "project", value: { governance: "strict" } },
  ])
  expect(config).toMatchObject({ governance: "strict", stale_after_hours: 5 })
})

it("a wrong option is reported by name and the value below it is used", () => {
  const { config, problems } = mergeConfig([
    { name: "user", value: { stale_after_hours: 5 } },
    { name: "project", value: { stale_after_hours: -1, governance: "loud", color: 1 } },
    { name: "options", value: "strict" },
  ])
  expect(config).toMatchObject({ governance: "assisted", stale_after_hours: 5 })
  expect(problems.map((problem) => problem.split(":").slice(0, 2).join())).toEqual([
    "project, stale_after_hours",
    "project, governance",
    'project, there is no option "color"',
    "options, this is not an object of options, so it is ignored",
  ])
})

it("config files may have comments and trailing commas; a broken one is named with its line and ignored", async () => {
  const dir = await tempProject()
  const good = join(dir, "good.json")
  const bad = join(dir, "bad.json")
  writeFileSync(good, '{\n  // quiet\n  "governance": "off",\n}\n')
  writeFileSync(bad, '{\n  "governance": "strict"\n  "log_level": "debug"\n}')
  const given = { name: "options", value: undefined }
  expect(await loadConfig({ user: good, project: join(dir, "none.json") }, given)).toMatchObject({
    config: { governance: "off" },
    problems: [],
  })
  const { config, problems } = await loadConfig({ user: null, project: bad }, given)
  expect(config).toEqual(defaultConfig)
  expect(problems).toEqual([
    expect.stringMatching(
      /bad\.json: line 3, column 3: a comma is missing before this; the file is ignored$/,
    ),
  ])
})

it("takes thresholds one by one: a wrong one keeps its default, the others hold, and layers add up", () => {
  const { config, problems } = mergeConfig([
    { name: "below", value: { detection: { failures: 5, cancels: 9 } } },
    { name: "above", value: { detection: { failures: -1, cancels: 4, nonsense: 1 } } },
  ])
  expect(config.detection).toMatchObject({ failures: 5, cancels: 4, rewrites: 3 })
  expect(problems).toEqual([
    expect.stringContaining("above: detection.failures"),
    'above: there is no option "detection.nonsense"',
  ])
})

it("a project's file cannot allow commands: an agent or the project's author may have written it", async () => {
  const dir = await tempProject()
  const [user, project] = [join(dir, "user.json"), join(dir, "project.json")]
  writeFileSync(project, '{"run_commands":"allow","governance":"strict"}')
  const given = { name: "options", value: undefined }
  const refused = await loadConfig({ user, project }, given)
  expect(refused.config).toMatchObject({ run_commands: "ask", governance: "strict" })
  expect(refused.problems).toEqual([expect.stringContaining("project.json: run_commands")])
  writeFileSync(user, '{"run_commands":"allow"}')
  expect((await loadConfig({ user, project }, given)).config.run_commands).toBe("allow")
  writeFileSync(project, '{"run_commands":"ask"}')
  expect((await loadConfig({ user, project }, given)).config.run_commands).toBe("ask")
  const options = { ...given, value: { run_commands: "allow" } }
  expect((await loadConfig({ user: null, project }, options)).config.run_commands).toBe("allow")
})

it("a project's configuration can raise the number of snapshots to keep, but not lower it", async () => {
  const dir = await tempProject()
  const [user, project] = [join(dir, "user.json"), join(dir, "project.json")]
  writeFileSync(project, '{"snapshots":{"enabled":false,"keep_days":1,"max_mb":2048,"seconds":"long"}}')
  const given = { name: "options", value: undefined }
  const { config, problems } = await loadConfig({ user, project }, given)
  expect(config.snapshots).toEqual({ ...defaultConfig.snapshots, max_mb: 2048 })
  expect(problems.map((problem) => /project\.json: ([^:]+)/.exec(problem)?.[1])).toEqual([
    "snapshots.enabled",
    "snapshots.keep_days",
    "snapshots.seconds",
  ])
  writeFileSync(user, '{"snapshots":{"enabled":false,"keep_days":3}}')
  writeFileSync(project, '{"snapshots":{"enabled":true}}')
  expect((await loadConfig({ user, project }, given)).config.snapshots).toMatchObject({
    ...{ enabled: true, keep_days: 3 },
  })
})
