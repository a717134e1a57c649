import { execFileSync } from "node:child_process"
import { mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import { git, gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { tempProject } from "../../support/temp-project.ts"

describe("a file that gets another text", () => {
  it("is asked about where git does not have the one it has", async () => {
    const { refused } = await project()
    await expectRefused(refused, [
      "cp src/old.ts src/a.ts",
      "cp src/old.ts notes.md",
      "cp old/a.ts src",
      "cp old/* src/",
      "cp -r old/. src",
      "cp -f src/old.ts src/a.ts",
      "mv src/old.ts src/a.ts",
      "mv -f src/old.ts notes.md",
      "mv old/a.ts src/",
      "echo x > src/a.ts",
      "cat > notes.md <<'EOF'\nx\nEOF",
      ": > notes.md",
      "npm run report &> notes.md",
      "echo x >| notes.md",
      "echo x | tee src/a.ts",
      "echo x | sudo tee notes.md >/dev/null",
      "dd if=/dev/zero of=notes.md bs=1 count=1",
      "install -m 644 src/old.ts src/a.ts",
      "ln -f src/old.ts src/a.ts",
      "ln -sf src/old.ts notes.md",
      "sort -o notes.md src/old.ts",
      "sort src/a.ts > src/a.ts",
      "curl -o notes.md https://x.io/notes",
      "wget -O notes.md https://x.io/notes",
      "rsync -a old/ src/",
      "python3 -c \"open('notes.md', 'w').write('x')\"",
      "node -e \"require('fs').writeFileSync('notes.md', 'x')\"",
      "cd src && echo x > a.ts",
      "bash -c 'echo x > notes.md'",
      "jq . src/old.ts > new && mv new src/a.ts",
      "cp notes.md backup.md; echo x > notes.md",
    ])
  })

  it("passes where it is new, committed, ignored, made by a build, or kept under another name", async () => {
    const { refused } = await project()
    await expectPassed(refused, [
      "echo x > new.txt",
      "cp src/a.ts src/b.ts",
      "cp src/a.ts src/old.ts",
      "echo x > src/old.ts",
      "echo x > .env",
      "npm test > test.log 2>&1",
      "echo x >> notes.md",
      "echo x | tee -a notes.md",
      "cp -n src/old.ts notes.md",
      "cp -b src/old.ts notes.md",
      "cp src/a.ts notes.md /tmp/",
      "cp -r src lib",
      "cp src/old.ts old",
      "ln -s src/old.ts notes.md",
      "sed -i s/a/b/ src/a.ts",
      "sort -o notes.md notes.md",
      "jq .x src/a.ts > new && mv new src/a.ts",
      "sed s/a/b/ src/a.ts | sort > new && mv new src/a.ts",
      "cp notes.md notes.bak && echo x > notes.md",
      "mv notes.md notes.old && cp src/old.ts notes.md",
      "wget https://x.io/notes.md",
      "python3 -c \"s = open('notes.md').read(); open('notes.md', 'w').write(s.upper())\"",
      "echo x > staged.ts",
      "echo x > stashed.ts",
      "echo x > empty.ts",
      "echo x > /dev/null",
      'npm run report > "$OUT"',
    ])
  })

  it("is this session's to replace where it has written it itself", async () => {
    const { dir, refused } = await project()
    writeFileSync(join(dir, "out.txt"), "its own")
    writeFileSync(join(dir, "src/old.ts"), "its own change")
    await expectPassed(refused, ["echo x > out.txt", "cp src/a.ts src/old.ts", "echo x | tee out.txt"])
  })

  it("is asked of an archive that is unpacked over it", async () => {
    const { dir, refused } = await project()
    mkdirSync(join(dir, "lib/old"), { recursive: true })
    const tar = (...args: string[]) => execFileSync("tar", args, { cwd: dir })
    tar("-czf", "lib/all.tgz", "src", "notes.md")
    tar("-cf", "lib/docs.tar", "old")
    await expectRefused(refused, [
      "tar xzf lib/all.tgz",
      "tar -xf lib/all.tgz -C .",
      "cd lib && tar xf all.tgz -C ..",
      "tar --strip-components=1 -xf lib/all.tgz -C src",
    ])
    await expectPassed(refused, [
      "tar xf lib/docs.tar",
      "tar xzf lib/all.tgz -C lib",
      "tar -xkf lib/all.tgz",
      "tar xf not-there.tgz",
      "tar xf lib/all.tgz -C notes.md",
      "curl -L https://x.io/x.tgz | tar xz",
      "mkdir /tmp/not-there && tar xf lib/all.tgz -C /tmp/not-there",
    ])
  })

  it("is this session's own also in a folder that git does not know yet", async () => {
    const { dir } = await project()
    mkdirSync(join(dir, "draft"))
    writeFileSync(join(dir, "draft/theirs.md"), "theirs")
    const refused = lossAsker(dir)
    await refused("git status")
    writeFileSync(join(dir, "draft/own.md"), "its own")
    await expectPassed(refused, ["echo x > draft/own.md", "rm draft/own.md"])
    await expectRefused(refused, ["echo x > draft/theirs.md", "rm draft/theirs.md", "rm -rf draft"])
  })

  it("is where a link leads; a link that is replaced loses nothing", async () => {
    const { dir, refused } = await project()
    symlinkSync(join(dir, "notes.md"), join(dir, "link"))
    await expectRefused(refused, ["echo x > link", "cp src/old.ts link"])
    await expectPassed(refused, ["mv src/old.ts link", "ln -sf src/old.ts link"])
  })

  it("outside of the project is nobody's copy; what is new, installed or temporary passes", async () => {
    const { refused } = await project()
    await expectRefused(refused, ["echo x > /etc/passwd", "cp src/a.ts /etc/passwd"])
    await expectPassed(refused, [
      "cp src/a.ts /usr/bin/env",
      "echo x > /etc/not-there.conf",
      "echo x > ~/.npmrc",
      "echo 1 > /proc/sys/vm/drop_caches",
    ])
  })

  it("without git may be replaced where it is this session's own", async () => {
    const dir = realpathSync(await tempProject())
    writeFileSync(join(dir, "theirs.txt"), "x")
    const { birthtimeMs } = statSync(join(dir, "theirs.txt"))
    await vi.waitFor(() => expect(Date.now() - birthtimeMs).toBeGreaterThan(20))
    const refused = lossAsker(dir)
    await expectRefused(refused, ["echo y > theirs.txt"])
    await expectPassed(refused, ["echo y > new.txt", "echo y > x.log"])
  })
})

/** Uncommitted work of before the session: a changed file, an untracked one; one staged, one stashed, one empty. */
async function project() {
  const dir = realpathSync(
    gitRepo(join(await tempProject(), "project"), {
      "src/a.ts": "a",
      "src/old.ts": "old",
      "stashed.ts": "x",
      "old/a.ts": "a",
      ".gitignore": ".env\nlib\n",
    }),
  )
  writeFileSync(join(dir, "stashed.ts"), "in a stash")
  git(dir, "stash", "-q")
  for (const [file, text] of [
    ["src/a.ts", "changed"],
    ["notes.md", "new"],
    ["staged.ts", "in the index"],
    ["stashed.ts", "in a stash"],
    ["empty.ts", ""],
    [".env", "x"],
    ["test.log", "x"],
  ] as const)
    writeFileSync(join(dir, file), text)
  git(dir, "add", "staged.ts")
  const refused = lossAsker(dir)
  await refused("git status")
  return { dir, refused }
}
