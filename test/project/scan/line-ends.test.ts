import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, it } from "vitest"
import { openHive } from "../../../src/api.ts"
import { tempProject } from "../../support/temp-project.ts"

const FILES = {
  "package.json":
    '{\n "name": "shop",\n "packageManager": "pnpm@9.0.0",\n "scripts": { "test": "vitest run" }\n}\n',
  "README.md": "---\ntitle: Shop\n---\n# The shop\n\n[a](docs/a.md), [gone](docs/gone.md)\n\n## Use\n",
  "docs/a.md": "Title\n=====\n\ntext\n",
  "AGENTS.md": "# Rules\n\n- Use pnpm.\n",
  "go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.0\n)\n",
  "requirements.txt": "flask==3.0.0\n# comment\npytest>=8\n",
  Makefile: "test:\n\tgo test ./...\n",
  "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n[dependencies]\naxum = "0.7"\n',
  ".gitignore": "out/\n*.log\n",
  "out/x.ts": "// TODO: ignored\n",
  "src/a.ts":
    'import { b } from "./b.ts"\n// TODO: first\n/**\n * FIXME(ada): second\n */\nexport const a = b\n',
  "src/b.ts": "export const b = 1\n",
  "app.py": "# TODO: third\nimport os\n",
}

it("a scan and the code map find the same with the line ends of Windows", async () => {
  const [unix, windows] = [await found("\n"), await found("\r\n")]
  expect(windows).toEqual(unix)
  expect(unix.todos.map(({ text }) => text)).toEqual(["third", "first", "second"])
  expect(unix.map?.documents.find(({ path }) => path === "README.md")?.headings).toEqual(["The shop", "Use"])
})

async function found(lineEnd: string) {
  const dir = await tempProject()
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text.replaceAll("\n", lineEnd))
  }
  const hive = await openHive(dir)
  try {
    await hive.scan.full()
    const map = await hive.scan.map()
    const todos = (await hive.codemap.todos()).map((todo) => ({
      ...todo,
      context: todo.context.replaceAll("\r", ""),
    }))
    const sizes = { scanned_at: "", files: { ...map?.files, bytes: 0 } }
    return { map: map && { ...map, ...sizes }, todos, users: await hive.codemap.graph("src/b.ts") }
  } finally {
    await hive.close()
  }
}
