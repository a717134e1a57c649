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

  it("does not recognise a framework by a folder name alone", () => {
    expect(names("specs/login.md", "bmad/notes.md", ".planning/todo.md", "agent-os/readme.txt")).toEqual([])
    expect(names(".claude/skills/react/AGENTS.md")).toEqual([])
    expect(
      names("docs/openspec.md", "src/bmad.ts", "examples/app/AGENTS.md", "test/fixtures/CLAUDE.md"),
    ).toEqual([])
  })

  it.each<[string, string[], Record<string, string[]>]>([
    [
      "those nearest to the top first",
      ["web/AGENTS.md", "AGENTS.md", "CLAUDE.md", ".cursor/rules/a.mdc", ".cursorrules"],
      {
        "AGENTS.md": ["AGENTS.md", "web/AGENTS.md"],
        "CLAUDE.md": ["CLAUDE.md"],
        "Cursor rules": [".cursorrules", ".cursor/rules/a.mdc"],
      },
    ],
    [
      "in small letters at the top, but no page about agents below it",
      ["agents.md", "docs/agents.md", "Claude.md"],
      { "AGENTS.md": ["agents.md"], "CLAUDE.md": ["Claude.md"] },
    ],
    [
      "without the commands that a framework has put among them",
      [
        ".bmad-core/core-config.yaml",
        ".cursor/rules/bmad/a.mdc",
        ".cursor/rules/gsd-add.mdc",
        ".cursor/rules/b.mdc",
      ],
      { BMAD: [], "Cursor rules": [".cursor/rules/b.mdc"] },
    ],
  ])("finds rules for agents, %s", (_, paths, expected) => {
    const found = governanceOf(...paths).map(({ name, rules }) => [name, rules])
    expect(Object.fromEntries(found)).toEqual(expected)
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
