import { rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { listProjectFiles } from "../../../src/project/files/list-files.ts"
import { readProjectFile } from "../../../src/project/files/read-file.ts"
import { git, writeFiles } from "../../support/git-repo.ts"
import { tempProject } from "../../support/temp-project.ts"

async function pathsIn(dir: string): Promise<string[]> {
  return (await listProjectFiles(dir)).files.map(({ path }) => path)
}

const IGNORES = {
  ".gitignore": "dist/\n*.log\n!keep.log\n/only-top.txt\nbuild/**/*.o\n# no rule\n",
  "sub/.gitignore": "secret.txt\n!again.log\n",
  "a.ts": "",
  "dist/out.js": "",
  "x.log": "",
  "keep.log": "",
  "only-top.txt": "",
  "sub/only-top.txt": "",
  "sub/secret.txt": "",
  "sub/again.log": "",
  "sub/dist/deep.js": "",
  "build/a/b/c.o": "",
  "build/a/b/c.c": "",
  "node_modules/x/index.js": "",
  ".hivemind/graph/x.json": "",
}

describe("the files of a project", () => {
  it("are tracked and untracked files that no rule ignores, the same without git as with it", async () => {
    const [plain, repository] = [await tempProject(), await tempProject()]
    writeFiles(plain, IGNORES)
    writeFiles(repository, IGNORES)
    git(repository, "init", "-q")
    writeFiles(repository, { ".git/info/exclude": "node_modules\n", "deleted.ts": "" })
    git(repository, "add", "a.ts", "deleted.ts")
    rmSync(join(repository, "deleted.ts"))
    expect(await listProjectFiles(repository)).toMatchObject({ source: "git", stopped: null, notes: [] })
    const walked = await listProjectFiles(plain)
    expect(walked.source).toBe("walk")
    expect(walked.files.map(({ path }) => path)).toEqual(await pathsIn(repository))
    expect(walked.files.map(({ path }) => path)).toEqual([
      ".gitignore",
      "a.ts",
      "build/a/b/c.c",
      "keep.log",
      "sub/.gitignore",
      "sub/again.log",
      "sub/only-top.txt",
    ])
  })

  it.each(["git", "walk"])(
    "never leave the project by a link, and no loop is walked (%s)",
    async (source) => {
      const outside = await tempProject()
      writeFiles(outside, { "secret.ts": "" })
      const dir = await tempProject()
      writeFiles(dir, { "a/b/c.ts": "" })
      if (source === "git") git(dir, "init", "-q")
      symlinkSync(outside, join(dir, "out"))
      symlinkSync("..", join(dir, "a/b/loop"))
      symlinkSync(join(outside, "secret.ts"), join(dir, "secret.ts"))
      const { files, notes } = await listProjectFiles(dir)
      expect(files.map(({ path }) => path)).toEqual(["a/b/c.ts"])
      expect(notes.map(({ path }) => path).sort()).toEqual(["a/b/loop", "out", "secret.ts"])
      expect(readProjectFile(dir, "secret.ts", 1000)).toEqual({ why: "a symbolic link, not followed" })
    },
  )
})

it("reads a file only if it is text and not too large", async () => {
  const dir = await tempProject()
  writeFiles(dir, { "a.ts": "export {}", binary: "a\0b", large: "x".repeat(2000) })
  expect(readProjectFile(dir, "a.ts", 1024)).toEqual({ text: "export {}" })
  expect(readProjectFile(dir, "binary", 1024)).toEqual({ why: "not text" })
  expect(readProjectFile(dir, "large", 1024)).toEqual({ why: "larger than 1 KB" })
  expect(readProjectFile(dir, "missing", 1024)).toEqual({ why: "gone" })
  expect(readProjectFile(dir, ".", 1024)).toEqual({ why: "not a regular file" })
})
