import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { fileHive } from "../support/file-hive.ts"
import { gitRepo } from "../support/git-repo.ts"
import { callTool } from "./call-tool.ts"

const FILES = {
  "Cargo.toml": '[package]\nname = "finder"\n[dependencies]\nclap = "4.6"\n',
  "README.md": "# Finder\n[x](gone.md)\n",
  "src/main.rs": "fn main() {}\n",
  "CLAUDE.md": "# Rules\n",
}

it("full describes the project with evidence, in a project without a hive", async () => {
  const hive = await fileHive()
  gitRepo(hive.dir, FILES)
  const reply = await callTool(hive, "scan full")
  expect(reply).toMatchObject({
    status: "success",
    files: 4,
    languages: ["Rust 1 lines"],
    structure: ["src/ source Rust, 1 files"],
    frameworks: ["clap 4.6, Cargo.toml:4"],
    managers: ["cargo, Cargo.toml"],
    commands: ["test: cargo test, usual with Cargo.toml", "build: cargo build, usual with Cargo.toml"],
    governance: [{ name: "CLAUDE.md", follow: ["CLAUDE.md"] }],
    documents: { readme: 1, rules: 1 },
    dead_references: 1,
    mems: 4,
  })
  expect(reply).not.toHaveProperty("kept")
  const since_last_scan = { added: 0, changed: 0, facts: 0 }
  expect(await callTool(hive, "scan incremental")).toMatchObject({ mems: 0, since_last_scan })
})

it("drift, frameworks and documents answer their own question", async () => {
  const hive = await fileHive()
  gitRepo(hive.dir, FILES)
  expect(await callTool(hive, "scan drift")).toMatchObject({ drift: "no scan yet", use: "full" })
  expect(await callTool(hive, "scan documents")).toMatchObject({
    documents: [
      { path: "CLAUDE.md", type: "rules" },
      { path: "README.md", type: "readme", title: "Finder" },
    ],
    dead_references: ["README.md:2 → gone.md: there is no such file"],
  })
  writeFileSync(join(hive.dir, "Cargo.toml"), FILES["Cargo.toml"].replace("4.6", "5.0"))
  expect(await callTool(hive, "scan drift")).toMatchObject({
    changed: 1,
    facts: ["clap: 4.6 → 5.0"],
    files: { changed: ["Cargo.toml"] },
  })
  expect(await callTool(hive, "scan frameworks")).toMatchObject({ frameworks: ["clap 5.0, Cargo.toml:4"] })
})

it("onboard asks whether past sessions are to be imported, where the host found some", async () => {
  const hive = await fileHive()
  gitRepo(hive.dir, FILES)
  const offer = "2 past sessions are on this machine."
  Object.assign(hive, { pastSessions: async () => offer })
  expect((await callTool(hive, "scan full", { onboard: true })).ask_the_user).toContain(offer)
})
