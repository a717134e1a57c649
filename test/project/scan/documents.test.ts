import { describe, expect, it } from "vitest"
import { classify, findDocuments } from "../../../src/project/scan/documents.ts"
import { parseDocument } from "../../../src/project/scan/markdown.ts"
import { runToEnd } from "../../../src/shared/slices.ts"
import { filesIn } from "./files-in.ts"

function documentsIn(texts: Record<string, string>) {
  const files = filesIn(texts)
  const parsed = new Map(
    Object.entries(texts)
      .filter(([path]) => /\.(md|mdx|rst)$/.test(path))
      .map(([path, text]) => [path, runToEnd(parseDocument(path, text))]),
  )
  return runToEnd(findDocuments(files, parsed, files.has, (path) => path.startsWith("specs/")))
}

const deadIn = (texts: Record<string, string>) =>
  documentsIn(texts).dead_references.map(({ path, line, target }) => `${path}:${line} ${target}`)

it.each([
  ["README.md", "readme"],
  ["AGENTS.md", "rules"],
  [".cursor/rules/tests.mdc", "rules"],
  [".specify/memory/constitution.md", "rules"],
  ["docs/prd.md", "prd"],
  ["specs/001-login/spec.md", "spec"],
  ["docs/architecture.md", "spec"],
  ["docs/decisions/0031-blocked-tasks-unblock.md", "adr"],
  ["specs/001-login/plan.md", "plan"],
  ["TODO.md", "plan"],
  ["docs/research/queues.md", "research"],
  ["CONTRIBUTING.md", "guide"],
  ["docs/install.md", "guide"],
  ["CHANGELOG.md", "changelog"],
  ["SECURITY.md", "policy"],
  [".github/PULL_REQUEST_TEMPLATE.md", "template"],
  ["templates/spec-template.md", "template"],
  [".claude/commands/fix.md", "prompt"],
  ["skills/plan/SKILL.md", "prompt"],
  // The names of these documents suggest another type.
  ["docs/reference/agents.md", "guide"],
  ["docs/evolving-specs.md", "guide"],
  ["commands/plan-product.md", "prompt"],
  ["tests/hooks/plan.md", "other"],
  ["notes.md", "other"],
])("a document's type: %s is %s", (path, type) => {
  expect(classify(path, [])).toBe(type)
})

describe("references between documents", () => {
  it("finds links to files that are not there, each with its line", () => {
    const dead = deadIn({
      "README.md":
        "# Shop\n\nSee [the guide](docs/guide.md) and [old](docs/old.md).\n![logo](logo.png)\n[a](docs/guide.md#set-up) [b](docs/guide.md#tear-down)\n\n[ref]: docs/gone.md\n",
      "docs/guide.md":
        "# Guide\n\n## Set up\n\nBack to [top](#guide), [nowhere](#nothing), [src](../src/main.ts), [x](../src/gone.ts)\n",
      "src/main.ts": "",
    })
    expect(dead).toEqual([
      "README.md:3 docs/old.md",
      "README.md:4 logo.png",
      "README.md:7 docs/gone.md",
      "docs/guide.md:5 ../src/gone.ts",
    ])
  })

  it("judges nothing that is no link of a reader's: code, comments, placeholders, addresses, ways out", () => {
    const dead = deadIn({
      "README.md": [
        "---\nlink: [x](front.md)\n---",
        "```md\n[x](in-code.md)\n```",
        "Write `[x](shown.md)` or ``a ` [y](shown.md)``.",
        "<!-- [x](hidden.md)\n[y](hidden2.md) -->",
        "[a](https://example.com/x.md) [b](mailto:x@example.com) [c](//example.com/a.md) [d](/site/route)",
        "[a](../../issues) [b]({{ page }}.md) [c](<path/to/file.md>) [d](docs/your-file.md) [e](url) [f]((https://x.org))",
        "- item\n\n  ```\n  [x](nested.md)\n  ```",
      ].join("\n\n"),
      "CHANGELOG.md": "Removed [x](gone.md)",
      "templates/a.md": "[x](./spec.md)",
      "test/fixtures/b.md": "[x](./c.md)",
    })
    expect(dead).toEqual([])
  })

  it("in a project that builds a site, checks only links to pages", () => {
    const dead = deadIn({
      "mkdocs.yml": "",
      "docs/index.md": "[route](../guide/) [page](guide) [file](gone.md) [shot](img/x.png)",
      "docs/api.md": "::: shop.Client\n\n[a](#shop.Client)",
    })
    expect(dead).toEqual(["docs/index.md:1 gone.md"])
  })

  it("takes a title from a heading or front matter, and the name of a file that is not Markdown", () => {
    const { documents } = documentsIn({
      "a.md": "Words\n\nUnderlined\n===\n\n## Part {#part}\n",
      "docs/index.rst": "=====\nTitle\n=====\n\nPart\n----\n",
      "docs/b.md": '---\ntitle: "From the front"\n---\n\nWords.\n',
    })
    expect(documents.map(({ title }) => title)).toEqual(["Underlined", "index.rst", "From the front"])
    expect(documents[0]?.headings).toEqual(["Underlined", "Part"])
  })
})
