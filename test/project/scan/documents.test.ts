import { describe, expect, it } from "vitest"
import { classify } from "../../../src/project/scan/document/classify.ts"
import { findDocuments } from "../../../src/project/scan/document/find-documents.ts"
import { parseDocument } from "../../../src/project/scan/document/parse-document.ts"
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

describe("a document's type", () => {
  it.each([
    ["README.md", "readme"],
    ["packages/a/readme.rst", "readme"],
    ["AGENTS.md", "rules"],
    [".cursor/rules/tests.mdc", "rules"],
    [".specify/memory/constitution.md", "rules"],
    ["docs/prd.md", "prd"],
    ["docs/checkout-prd.md", "prd"],
    ["specs/001-login/spec.md", "spec"],
    ["docs/architecture.md", "spec"],
    ["rfcs/0001-x.md", "spec"],
    ["docs/adr/0003-use-postgres.md", "adr"],
    ["docs/decisions/0031-blocked-tasks-unblock.md", "adr"],
    ["specs/001-login/plan.md", "plan"],
    ["ROADMAP.md", "plan"],
    ["TODO.md", "plan"],
    ["docs/research/queues.md", "research"],
    ["specs/001-login/research.md", "research"],
    ["CONTRIBUTING.md", "guide"],
    ["docs/install.md", "guide"],
    ["CHANGELOG.md", "changelog"],
    ["SECURITY.md", "policy"],
    [".github/PULL_REQUEST_TEMPLATE.md", "template"],
    ["templates/spec-template.md", "template"],
    [".claude/commands/fix.md", "prompt"],
    ["skills/plan/SKILL.md", "prompt"],
    // These only sound like it.
    ["docs/reference/agents.md", "guide"],
    ["docs/concepts/spec-of-specs.md", "guide"],
    ["docs/evolving-specs.md", "guide"],
    ["commands/plan-product.md", "prompt"],
    ["tests/hooks/plan.md", "other"],
    ["notes.md", "other"],
  ])("%s is %s", (path, type) => {
    expect(classify(path, [])).toBe(type)
  })

  it("is a decision by its headings, whatever it is called", () => {
    expect(classify("notes/db.md", ["Use Postgres", "Status", "Context", "Decision"])).toBe("adr")
    expect(classify("notes/db.md", ["Use Postgres", "Context and Problem Statement"])).toBe("adr")
    expect(classify("notes/db.md", ["Status", "Context"])).toBe("other")
  })
})

describe("references between documents", () => {
  it("leaves what a framework has written to it", () => {
    expect(deadIn({ "specs/001/plan.md": "[x](gone.md)", "plan.md": "[x](gone.md)" })).toEqual([
      "plan.md:1 gone.md",
    ])
  })

  it("finds links to files and headings that are not there, each with its line", () => {
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
      "README.md:5 docs/guide.md#tear-down",
      "README.md:7 docs/gone.md",
      "docs/guide.md:5 #nothing",
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

  it("knows a heading in the many ways sites and people spell its anchor", () => {
    const headings =
      '# What\'s *new* in `v2`?\n\n## Über uns & mehr\n\nSetext heading\n---\n\n## [Linked](x.md) words\n\n## Custom {#my-id}\n\n## Same\n\n## Same\n\n<a name="old-name"></a>\n'
    const links = [
      "whats-new-in-v2",
      "über-uns--mehr",
      "uber-uns-mehr",
      "setext-heading",
      "linked-words",
      "my-id",
      "same-1",
      "old-name",
      "L10-L20",
      "top",
    ]
    const text = `${headings}\n${links.map((anchor) => `[x](#${anchor})`).join(" ")} [y](#missing)`
    expect(deadIn({ "a.md": text, "x.md": "" })).toEqual(["a.md:18 #missing"])
  })

  it("in a site, takes a page's address for what it is, and still misses a page that is linked as a file", () => {
    const dead = deadIn({
      "mkdocs.yml": "",
      "docs/index.md": "[route](../guide/) [page](guide) [file](gone.md) [shot](img/x.png)",
      "docs/api.md": "::: shop.Client\n\n[a](#shop.Client)",
      "README.md": "[x](docs/img/none.png)",
    })
    expect(dead).toEqual(["docs/index.md:1 gone.md", "README.md:1 docs/img/none.png"])
  })

  it("tells which documents link to which, once each", () => {
    const { documents } = documentsIn({
      "README.md": "# Shop\n[a](docs/a.md) [again](docs/a.md#x) [folder](docs)\n",
      "docs/a.md": "# A\n## X\n[up](../README.md)",
      "docs/README.md": "# Docs",
    })
    expect(documents.map(({ path, title, links }) => [path, title, links])).toEqual([
      ["README.md", "Shop", ["docs/a.md"]],
      ["docs/a.md", "A", ["README.md"]],
      ["docs/README.md", "Docs", []],
    ])
  })

  it("reads titles of reStructuredText and of front matter", () => {
    const { documents } = documentsIn({
      "docs/index.rst": "=====\nTitle\n=====\n\nPart\n----\n",
      "docs/b.md": '---\ntitle: "From the front"\n---\n\nWords.\n',
    })
    expect(documents.map(({ title }) => title)).toEqual(["Title", "From the front"])
  })
})
