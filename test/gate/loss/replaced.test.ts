import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { git, gitRepo } from "../../support/git-repo.ts"
import { expectPassed, expectRefused, lossAsker } from "../../support/losses.ts"
import { untilFileIsOlder } from "../../support/old-file.ts"
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
      "$SUDO install -m 644 src/old.ts src/a.ts",
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
      "$PIP install --upgrade --editable .",
      "cp .",
      'docker run -v "$PWD:/w" image chown -R 1000:1000 ./src',
    ])
  })

  it("is asked about where a program is told to write it, or an editor to empty it", async () => {
    const { dir, refused } = await project()
    writeFileSync(join(dir, "notes.md.gz"), "x")
    await expectRefused(refused, [
      "gcc -o notes.md x.c",
      "cc x.c -o src/a.ts",
      "openssl genrsa -out notes.md 2048",
      "pandoc src/old.ts -o notes.md",
      "pandoc src/old.ts --output=notes.md",
      "npx openapi-typescript api.yaml --output src/a.ts",
      "python3 make.py --out-file notes.md",
      "go build -o notes.md ./...",
      "docker save -o notes.md image",
      "psql -o notes.md -c 'select 1'",
      "psql -c '\\o notes.md'",
      'sqlite3 app.db ".output notes.md" ".dump"',
      'sqlite3 :memory: ".once src/a.ts" "select 1"',
      "pg_dump shop -f notes.md",
      "gunzip -f notes.md.gz",
      "gzip -df notes.md.gz",
      "tar cf src/a.ts old",
      "deno eval \"Deno.writeTextFileSync('notes.md', '')\"",
      "deno eval \"Deno.removeSync('notes.md')\"",
      "bun -e \"Bun.write('notes.md', '')\"",
      "sed -i '/./d' notes.md",
      "sed -i 's/.*//' src/a.ts",
      "sed -i -e '1,$d' notes.md",
      "ed -s notes.md <<'EOF'\n,d\nw\nq\nEOF",
      "printf '%s\\n' %d w q | ed -s src/a.ts",
      "ed -s src/old.ts <<'EOF'\nw notes.md\nq\nEOF",
      "vim -es -c '%d' -c wq notes.md",
      "ex -s -c '%d|x' notes.md",
      "nvim --headless +%d +wq src/a.ts",
      "vim -c '!rm notes.md' -c q src/old.ts",
      "awk -i inplace 0 notes.md",
      "perl -e 'open(F, \">notes.md\")'",
      'perl -e \'open(my $f, ">", "notes.md")\'',
      "ffmpeg -y -i a.mp4 notes.md",
      "convert a.png notes.md",
      "git archive -o src/a.ts HEAD",
      "python3 -c \"from pathlib import Path; Path('src/old.ts').rename('notes.md')\"",
      "python3 -c \"from pathlib import Path; Path('src/old.ts').replace(Path('notes.md'))\"",
      "node -e \"fs.openSync('notes.md','w')\"",
      "git archive -o notes.md HEAD",
      "git diff --output=notes.md",
      "git bundle create notes.md HEAD",
      "git diff --output=src/a.ts",
      "patch -o notes.md src/old.ts < x.patch",
      "xxd -r x.hex notes.md",
      "script -c ls notes.md",
      "uv pip compile -o notes.md req.in",
    ])
    await expectPassed(refused, [
      // What such an option has made it makes again: nobody writes these by hand, and git does not know them.
      "eslint -o report.html .",
      "python3 gen.py -o results.json",
      "esbuild src/old.ts --outfile=bundle.js",
      "script -a -c ls notes.md",
      // A file that happens to have the name of a setting.
      "docker compose up -o app",
      "mount -o app /dev/x /mnt",
      "ps -o app",
      "make -o notes.md",
      "ssh -o app host ls",
      "gcc -o app main.c",
      "go build -o app ./...",
      "esbuild src/old.ts --bundle --outfile=bundle.js",
      "magick identify notes.md",
      "gcc -O src/a.ts -o main",
      "gcc -o src/old.ts x.c",
      "clang-format src/a.ts -o src/a.ts",
      "pandoc notes.md -o notes.pdf",
      "openssl x509 -in notes.md -noout",
      "rg x -o notes.md",
      "grep -o x notes.md",
      "git ls-files -o notes.md",
      "kubectl get pods -o notes",
      "ssh -o LogLevel=quiet host ls",
      "pytest -o log_cli=true src/a.ts",
      'sqlite3 app.db ".output new.txt" ".dump"',
      "gunzip notes.md.gz",
      "gunzip -f src/old.ts.gz",
      "tar cf new.tar notes.md",
      "deno test src/a.ts",
      "sed -i '/x/d' notes.md",
      "awk -i inplace '!seen[$0]++' notes.md",
      "perl -e 'open(F, \"<notes.md\")'",
      "perl -e 'open(F, \">>notes.md\")'",
      "ffmpeg -i notes.md a.mp4",
      "convert notes.md -resize 50% notes.md",
      "sed -i 's/a.*//' notes.md",
      "sed -i '/^$/d' notes.md",
      "ed -s notes.md <<'EOF'\n1d\nw\nq\nEOF",
      "vim -es -c '%s/a/b/g' -c wq notes.md",
    ])
  })

  it("counts as kept where it was packed before", async () => {
    const { refused } = await project()
    await expectPassed(refused, [
      "tar czf all.tgz src notes.md && rm -rf src notes.md",
      "zip -r all.zip src && rm -rf src",
      "gzip -k notes.md && rm notes.md",
    ])
    await expectRefused(refused, [
      "tar czf all.tgz src; rm -rf src",
      "tar czf all.tgz old && rm -rf src",
      "tar czf all.tgz src && rm all.tgz && rm -rf src",
      "gzip notes.md && rm notes.md.gz",
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
      "curl -L https://x.io/x.tgz | tar xz --strip-components=1",
      "curl -L https://x.io/x.tgz | tar -xzf - -C src",
      "tar c -C old . | tar x -C src",
    ])
    await expectPassed(refused, [
      "tar xf lib/docs.tar",
      "tar xzf lib/all.tgz -C lib",
      "tar -xkf lib/all.tgz",
      "tar xf not-there.tgz",
      "tar xf lib/all.tgz -C notes.md",
      "curl -L https://x.io/x.tgz | tar xz",
      "curl -L https://x.io/x.tgz | tar xz -C lib",
      "curl -L https://x.io/x.tgz | tar xz -C old --strip-components=1",
      "curl -L https://x.io/x.tgz | tar xz -C /usr/local",
      "mkdir /tmp/not-there && tar xf lib/all.tgz -C /tmp/not-there",
    ])
  })

  it("is asked of git in as many calls for thirty files as for one", async () => {
    const { dir } = await project()
    const count = await countedGit(join(dir, "..", "bin"))
    const calls: number[] = []
    for (const many of [1, 30]) {
      const names = Array.from({ length: many }, (_, n) => `drafts-${many}/${n}.md`)
      for (const name of names) put(dir, name)
      execFileSync("tar", ["-cf", join(dir, "..", "all.tar"), ...names], { cwd: dir })
      execFileSync("cp", ["-r", `drafts-${many}`, `../drafts-${many}`], { cwd: dir })
      git(dir, "add", "-A")
      const refused = lossAsker(dir)
      await refused("git status")
      const before = count()
      await expectPassed(refused, ["tar xf ../all.tar", `cp -r ../drafts-${many}/. drafts-${many}`])
      calls.push(count() - before)
    }
    expect(calls[1]).toBe(calls[0])
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
    await expectRefused(refused, [
      "echo x > /etc/passwd",
      "cp src/a.ts /etc/passwd",
      "echo x > /etc/passwd; rm /etc/passwd",
      "echo x >> ~/.bashrc; rm ~/.bashrc",
      "echo x > ~/work; rm -rf ~/work",
    ])
    await expectPassed(refused, [
      "cp src/a.ts /usr/bin/env",
      "echo x > /etc/not-there.conf",
      "echo x > ~/.npmrc",
      "cd ~ && curl -Lo x.bin https://x.io/x\ntar xf x.bin\nrm -f x.bin",
      "echo 1 > /proc/sys/vm/drop_caches",
    ])
  })

  it("without git may be replaced where it is this session's own", async () => {
    const dir = realpathSync(await tempProject())
    put(dir, "theirs.txt")
    await untilFileIsOlder(join(dir, "theirs.txt"))
    const refused = lossAsker(dir)
    await expectRefused(refused, ["echo y > theirs.txt"])
    await expectPassed(refused, ["echo y > new.txt", "echo y > x.log"])
  })

  it("is one of many by a pattern or a folder, with git and without", async () => {
    for (const hasGit of [true, false]) {
      const dir = realpathSync(await tempProject())
      if (hasGit) gitRepo(dir, { "README.md": "x" })
      const files = ["from/x.txt", "from/deep/y.md", "from/new.md", "to/x.txt", "to/deep/y.md", "to/z.txt"]
      for (const file of [...files, "built/x.txt", "dist/x.txt"]) put(dir, file)
      await untilFileIsOlder(join(dir, "dist/x.txt"))
      const refused = lossAsker(dir)
      await expectRefused(refused, [
        "cp from/*.txt to/",
        "cp from/*.txt to",
        "cp from/?.txt to/",
        "cp -r from/. to",
        "cp -r from/* to",
        "cp -r from/deep to",
        "rsync -a from/ to",
        "mv from/* to/",
        "mv -f from/x.* to",
        "install -m 644 from/*.txt to",
      ])
      await expectPassed(refused, [
        "cp from/*.md to/",
        "cp -n from/*.txt to/",
        "cp from/*.txt elsewhere/",
        "cp -r from/. elsewhere",
        "cp -r from/. dist",
        "cp from/*.none to/",
        "mv from/new* to/",
        "mv from/d* to/",
        "cp -r to from",
      ])
    }
  })

  it("and is told to be too many where the files of a folder cannot be gone through", async () => {
    const dir = realpathSync(await tempProject())
    for (let n = 0; n < 3100; n++) put(dir, `from/${n}.txt`, "")
    put(dir, "small/a.txt")
    const refused = lossAsker(dir)
    expect(await refused("cp -r small/. from")).toMatch(/more in .*from than can be looked at/)
    await expectPassed(refused, ["cp -r from/. small"])
  })

  it("without git is asked of an archive too", async () => {
    const dir = realpathSync(await tempProject())
    for (const file of ["src/a.ts", "new/a.ts"]) put(dir, file)
    execFileSync("tar", ["cf", "all.tar", "src"], { cwd: dir })
    await untilFileIsOlder(join(dir, "all.tar"))
    const refused = lossAsker(dir)
    await expectRefused(refused, ["tar xf all.tar", "curl -L https://x.io/x.tgz | tar xz -C src"])
    await expectPassed(refused, [
      "tar xf all.tar -C new",
      "mkdir x && curl -L https://x.io/x.tgz | tar xz -C x",
    ])
  })

  it("outside of the project is asked about one by one too", async () => {
    const { dir, refused } = await project()
    put(dir, "etc/passwd")
    put(dir, "etc/not-there.conf")
    await expectRefused(refused, ["cp etc/* /etc/", "cp -r etc/. /etc", "mv etc/p* /etc"])
    await expectPassed(refused, ["cp etc/*.conf /etc/", "cp etc/* /tmp/", "cp etc/* /usr/bin/"])
  })
})

/** A git in front of the real one that counts how often it is called. */
async function countedGit(bin: string): Promise<() => number> {
  const real = execFileSync("sh", ["-c", "command -v git"]).toString().trim()
  const calls = join(bin, "calls")
  mkdirSync(bin, { recursive: true })
  writeFileSync(calls, "")
  writeFileSync(join(bin, "git"), `#!/bin/sh\necho x >> '${calls}'\nexec '${real}' "$@"\n`, { mode: 0o755 })
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`)
  return () => readFileSync(calls, "utf8").length
}

function put(dir: string, file: string, text = `work in ${file}`): void {
  mkdirSync(dirname(join(dir, file)), { recursive: true })
  writeFileSync(join(dir, file), text)
}

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
    ["app", "made by a compiler"],
    ["bundle.js", "made by a bundler"],
    ["report.html", "made by a linter"],
    ["results.json", "made by a script"],
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
