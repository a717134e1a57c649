import { describe, expect, it } from "vitest"
import { findGovernance, isGoverned } from "../../../src/project/scan/governance.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { filesIn } from "./files-in.ts"

function governanceOf(...paths: string[]) {
  return runToEnd(findGovernance(filesIn(Object.fromEntries(paths.map((path) => [path, ""])))))
}

const names = (...paths: string[]) => governanceOf(...paths).map(({ name }) => name)

describe("what governs a project", () => {
  it("knows each framework by its own files", () => {
    expect(names("_bmad/core/config.yaml", "_bmad-output/prd.md")).toEqual(["BMAD"])
    expect(names(".bmad-core/core-config.yaml")).toEqual(["BMAD"])
    expect(names(".planning/PROJECT.md", ".planning/ROADMAP.md")).toEqual(["GSD"])
    expect(names(".claude/commands/gsd/new.md")).toEqual(["GSD"])
    expect(names(".specify/memory/constitution.md", "specs/001-login/spec.md")).toEqual(["spec-kit"])
    expect(names("agent-os/product/mission.md")).toEqual(["Agent-OS"])
    expect(names(".agent-os/specs/2026-01-01-x/spec.md")).toEqual(["Agent-OS"])
    expect(names("openspec/project.md", ".kiro/steering/a.md", ".taskmaster/config.json")).toEqual([
      "OpenSpec",
      "Kiro",
      "Task Master",
    ])
  })

  it("takes no folder's name alone for one", () => {
    expect(names("specs/login.md", "bmad/notes.md", ".planning/todo.md", "agent-os/readme.txt")).toEqual([])
    expect(names(".claude/skills/react/AGENTS.md")).toEqual([])
    expect(
      names("docs/openspec.md", "src/bmad.ts", "examples/app/AGENTS.md", "test/fixtures/CLAUDE.md"),
    ).toEqual([])
  })

  it("takes the commands that a framework has put among the rules for none", () => {
    const found = governanceOf(
      ".bmad-core/core-config.yaml",
      ".cursor/rules/bmad/analyst.mdc",
      ".cursor/rules/gsd-add-phase.mdc",
      ".cursor/rules/style.mdc",
    )
    expect(found.map(({ name, rules }) => [name, rules])).toEqual([
      ["BMAD", []],
      ["Cursor rules", [".cursor/rules/style.mdc"]],
    ])
  })

  it("finds rules for agents, those nearest to the top first", () => {
    const found = governanceOf(
      "web/AGENTS.md",
      "AGENTS.md",
      "CLAUDE.md",
      ".cursor/rules/a.mdc",
      ".cursorrules",
    )
    expect(found.map(({ name, rules }) => [name, rules])).toEqual([
      ["AGENTS.md", ["AGENTS.md", "web/AGENTS.md"]],
      ["CLAUDE.md", ["CLAUDE.md"]],
      ["Cursor rules", [".cursorrules", ".cursor/rules/a.mdc"]],
    ])
  })

  it("takes small letters for rules at the top, and for a page about agents below it", () => {
    const found = governanceOf("agents.md", "docs/agents.md", "Claude.md")
    expect(found.map(({ name, rules }) => [name, rules])).toEqual([
      ["AGENTS.md", ["agents.md"]],
      ["CLAUDE.md", ["Claude.md"]],
    ])
  })

  it("says which folders are a framework's own: those and no others", () => {
    const governance = governanceOf(".specify/memory/constitution.md", "specs/001-login/plan.md", "AGENTS.md")
    expect(governance[0]).toMatchObject({
      folders: [".specify", "specs"],
      rules: [".specify/memory/constitution.md"],
    })
    const isOthers = isGoverned(governance)
    expect(["specs/001-login/plan.md", ".specify/x"].every(isOthers)).toBe(true)
    expect(["src/specs.ts", "AGENTS.md", "specsheet/a.md"].some(isOthers)).toBe(false)
  })
})
