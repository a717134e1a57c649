import axe from "axe-core"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { startBrowser } from "../support/browser.ts"
import { manyAnswers, storyAnswers, type Told } from "./page-answers.ts"
import { type Answers, type PageServer, servePage } from "./page-server.ts"
import * as story from "./page-story.ts"

const PATIENCE_MS = 60_000
const until = expect.poll
const CONTEXT = { locale: "en-GB", reducedMotion: "reduce", viewport: { width: 1280, height: 800 } } as const
const VIEWS = ["Now", "Plans", "Memory", "Timeline", "Context", "Health"]
let browser = await startBrowser()

describe.skipIf(browser === null)(
  browser === null ? "no Chromium can start here" : "the dashboard's page",
  () => {
    let server: PageServer
    let told: Told
    let page: Page

    afterAll(() => browser?.close())

    interface Visit {
      told?: Partial<Told>
      answers?: Answers
      context?: BrowserContextOptions
      prepare?: () => unknown
      isEarly?: boolean
      expected?: RegExp
    }

    /** Opens a page in a context and with a server of its own, so that no test can disturb another. */
    async function visit(at = "", { context, prepare, isEarly = false, expected, ...given }: Visit = {}) {
      if (browser?.isConnected() !== true) browser = await startBrowser()
      told = { planView: structuredClone(story.planView), mems: structuredClone(story.mems), ...given.told }
      const ours = await servePage(given.answers ?? storyAnswers(told))
      const opened = await (browser as Browser).newContext({ ...CONTEXT, ...context })
      const failed: string[] = []
      onTestFinished(async () => {
        await opened.close()
        await ours.close()
        expect(failed.filter((text) => expected?.test(text) !== true)).toEqual([])
      })
      ;[server, page] = [ours, await opened.newPage()]
      page.setDefaultTimeout(PATIENCE_MS)
      page.on("pageerror", (error) => failed.push(error.message))
      page.on("crash", () => failed.push("the page has crashed"))
      page.on("console", (message) => message.type() === "error" && failed.push(message.text()))
      page.on("dialog", (dialog) => {
        failed.push(`a dialog: ${dialog.message()}`)
        dialog.dismiss()
      })
      await prepare?.()
      await page.goto(`${server.url}${at}`)
      await page.locator(".is-live").waitFor()
      if (!isEarly) await settled(at)
    }
    const text = (selector: string) =>
      page
        .locator(selector)
        .allInnerTexts()
        .then((texts) => texts.join("\n"))
    const goTo = async (hash: string) => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
      await settled(hash)
    }
    const settled = async (hash: string) => {
      const name = /[a-z]+/.exec(hash)?.[0] ?? "now"
      await page.getByRole("heading", { level: 1, name, exact: false }).waitFor()
      await page.locator("main > :not(h1)").first().waitFor({ state: "attached" })
      await page.locator(".loading").first().waitFor({ state: "detached" })
    }
    const focused = () => page.evaluate<string>("document.querySelector(':focus')?.textContent ?? ''")

    it("shows the thread from intent to task, who works, warnings, pressure and cost", async () => {
      await visit()
      const main = page.locator("main")
      await main.getByText("Make sign-in work with a cookie").first().waitFor()
      const shown = await text("main")
      for (const part of ["Sign-in that people can rely on", "3 of 12", "Refuse a cookie that was replayed"])
        expect(shown).toContain(part)
      for (const part of ["failed checks", "48%", "$6.42", "1 conflict to settle", "handed to investigator"])
        expect(shown).toContain(part)
      // Each chain holds only what belongs together, and only who has shifted can be taken back.
      expect(await page.locator(".thread").allInnerTexts()).toEqual([
        expect.stringMatching(/Sign-in that people can rely on[\s\S]*Issue a session cookie/),
        expect.stringMatching(/Invoices as PDF[\s\S]*Number invoices per year/),
      ])
      expect(await page.getByRole("button", { name: "Undo its switch of task" }).count()).toBe(1)
      const waits = page.getByRole("region", { name: "Waits for you" })
      expect(await waits.textContent()).toMatch(/How long does a reset link live\?[\s\S]*Send a reset link/)
      await waits.getByRole("button", { name: "Decide…" }).click()
      await waits.getByRole("textbox", { name: "Decision" }).fill("An hour")
      await waits.getByRole("button", { name: "Decide", exact: true }).click()
      await until(() => server.commands).toEqual([
        { do: "resolve_decision", decision: story.now.decisions[0]?.id, content: "An hour" },
      ])
    })

    it("shows a plan as a board and opens a task with all that is known of it", async () => {
      await visit("#/plans")
      const columns = ["Planned 4", "Blocked 2", "At work 2", "Done 3", "Given up 1"]
      expect(await page.locator(".column h2").allInnerTexts()).toEqual(columns)
      await page.getByRole("button", { name: /^Issue a session cookie/ }).click()
      const sheet = page.getByRole("dialog", { name: "Issue a session cookie after sign-in" })
      await sheet.getByText("Put a version into the cookie").waitFor()
      const shown = await sheet.textContent()
      const parts = ["npm test -- sign-in", "src/auth/session-store.ts", "git reset --hard", "$1.07"]
      for (const part of [...parts, "Sessions live in Redis"]) expect(shown).toContain(part)
      // Closed, and back: the sheet does not come again.
      await page.keyboard.press("Escape")
      await until(() => page.getByRole("dialog").count()).toBe(0)
      await page.goBack()
      expect(await page.getByRole("dialog").count()).toBe(0)
    })

    it("begins with the plan of Now, gives room to columns that hold something, and shows an open task's own plan", async () => {
      const other = story.plans[1]
      const answered: string[] = []
      await visit("", {
        told: other === undefined ? {} : { nowPlan: other },
        // Left before what Now shows has come: half of an answer is none.
        prepare: () => {
          server.holdHalf("/api/now")
          page.on("response", (response) => answered.push(new URL(response.url()).pathname))
        },
        isEarly: true,
      })
      await until(() => server.heldAnswers("/api/now")).toBeGreaterThan(0)
      await page.evaluate("location.hash = '/plans'")
      await until(() => answered).toContain("/api/plans")
      server.releaseHeld()
      await settled("/plans")
      const title = "Number invoices without gaps, also where two clerks write one in the same second"
      await page.getByText(title).waitFor()
      const card = page.locator(".task-title").first()
      const isWhole = async () => card.evaluate((each) => each.scrollHeight <= each.clientHeight)
      expect(await isWhole()).toBe(true)
      await page.setViewportSize({ width: 375, height: 740 })
      expect(await isWhole()).toBe(true)
      expect(await page.locator(".column:visible").count()).toBe(1)
      expect((await card.boundingBox())?.x).toBeLessThan(60)
      await visit(`#/plans?open=task:${story.tasks[3]?.id}`)
      await until(() => page.getByRole("combobox", { name: "Plan" }).inputValue()).toBe(story.plan.id)
    })

    it("draws the dependencies of tasks, and opens a task from the drawing", async () => {
      await visit("#/plans?as=graph")
      await page.locator(".node").first().waitFor()
      expect(await page.locator(".node").count()).toBe(10)
      expect(await page.locator(".edge").count()).toBe(10)
      expect(await text("figcaption")).toContain("2 tasks without a link are on the board.")
      await page.getByRole("button", { name: "Send a reset link by mail. ⊖ Blocked" }).click()
      await page.getByRole("dialog", { name: "Send a reset link by mail" }).waitFor()
    })

    it("searches mems while the user types, with reasons, and shows a mem's evidence and links", async () => {
      await visit("#/memory")
      await page.getByRole("searchbox").fill("sessions")
      await page.getByText("3 mems found").waitFor()
      expect(await text(".mem-why")).toContain("has the words “sessions”")
      expect(await text(".mem-card")).toMatch(/False path[\s\S]*Superseded/)
      await page.getByRole("button", { name: /Sessions live in Redis/ }).click()
      const sheet = page.getByRole("dialog")
      await sheet.getByText("Verified").waitFor()
      expect(await sheet.textContent()).toMatch(
        /86% sure[\s\S]*Linked with[\s\S]*replaces[\s\S]*was replaced by/,
      )
    })

    it("the timeline shows refusals, can be searched and offers undo", async () => {
      await visit("#/timeline")
      await page.getByText("The command would discard uncommitted changes").first().waitFor()
      await page.getByRole("searchbox", { name: "Find in the timeline" }).fill("argon2id with")
      await page.getByText("1 step, the newest first").waitFor()
      await page.getByRole("searchbox", { name: "Find in the timeline" }).fill("")
      await page.getByRole("button", { name: "Failures" }).click()
      await page.getByText("Gave up “Keep sessions in the main database”").waitFor()
      await page.getByText("1 step, the newest first").waitFor()
      // Nothing is undone by one click, and what it would take back is in sight then.
      expect(await page.getByRole("button", { name: /Undo/ }).count()).toBe(0)
      await page.getByText("Details").click()
      await page.getByRole("button", { name: "Undo…" }).click()
      expect(server.commands).toEqual([])
      await until(focused).toBe("Undo")
      await page.keyboard.press("Enter")
      await until(() => server.commands).toEqual([{ do: "undo", entry: story.timeline[8]?.id }])
    })

    it("restores a snapshot after a preview, and reports the result", async () => {
      await visit("#/timeline?kind=snapshot")
      await page.getByText("notes/reset-link.md (rm -r notes)").waitFor()
      await page.getByRole("button", { name: "Restore…" }).click()
      const form = page.getByRole("form", { name: "Restore" })
      await form.getByText("To be written: 1 file").waitFor()
      expect(await form.textContent()).toMatch(
        /notes\/reset-link\.md[\s\S]*README\.md: it has changed since[\s\S]*never deleted[\s\S]*refs\/heads\/topic/,
      )
      const restore = form.getByRole("button", { name: "Restore", exact: true })
      await restore.click()
      await until(() => server.commands).toEqual([{ do: "restore", snapshot: "S41" }])
      const refused = { what: "Nothing was restored.", why: "README.md: it has changed.", use_instead: "" }
      server.settle({ id: "command-1", state: "refused", ...refused })
      await form.getByText("README.md: it has changed. ").waitFor()
      await form.getByRole("combobox", { name: "Files that have changed since" }).selectOption("yes")
      await form.getByRole("combobox", { name: /^Branches/ }).selectOption("yes")
      await restore.click()
      const asked = { do: "restore", snapshot: "S41", force: true, refs: true }
      await until(() => server.commands[1]).toEqual(asked)
      const note = { what: "2 files restored. S42 undoes it.", why: null, use_instead: null }
      server.settle({ id: "command-2", state: "done", ...note })
      await page.getByRole("region", { name: "Your changes" }).getByText("2 files restored").waitFor()
      expect(await form.count()).toBe(0)
    })

    it("shows each turn as it was sent, with reasons, plots, replay and where drift began", async () => {
      await visit("#/context")
      await page.locator(".plot svg").nth(2).waitFor()
      expect(await text(".plot-turns")).toMatch(/^turn 1\s+18/)
      expect(await page.getByRole("combobox", { name: "Session" }).textContent()).toMatch(
        /^Make sign-in work/,
      )
      await page.getByRole("button", { name: "Show turn 12" }).click()
      await page.getByRole("heading", { name: "Turn 12" }).waitFor()
      const shown = await text(".turn")
      for (const part of ["<hivemind_delta", "a false path with the words", "Two things have changed"].concat(
        ["Read from cache", "decision Sessions live in Redis", "task Hash passwords with argon2id"],
      ))
        expect(shown).toContain(part)
      await page.getByRole("button", { name: "Replay this turn" }).click()
      await page.getByText("Still in the context: turn 1 (keyframe)").waitFor()
    })

    it("shows problems, conflicts, sizes and refusals", async () => {
      await visit("#/health")
      expect(await text("main")).toMatch(
        /which is not there[\s\S]*broken-150314112026[\s\S]*Send a reset link[\s\S]*1.8 MB[\s\S]*git reset --hard/,
      )
      expect(await text("main")).toMatch(/8 entries not in the repository's log yet/)
      expect(await text("main")).not.toMatch(/All is well|Every record can be read/)
      await page.getByText("1 settled sync conflict").click()
      await page.getByText("title “Write the docs”").waitFor()
      await page.getByRole("button", { name: "Run all checks" }).click()
      await page.getByText("120 MB free").waitFor()
      expect(await text("main")).toMatch(/Your changes[\s\S]*Refused[\s\S]*Unblock task/)
    })

    it("shows an edit as waiting, then as applied or refused with the reason", async () => {
      await visit(`#/plans?open=task:${story.tasks[3]?.id}`)
      await page.getByRole("button", { name: "Block…" }).click()
      await page.getByRole("textbox", { name: "Reason" }).fill("the new key")
      await page.keyboard.press("Enter")
      const tray = page.locator(".tray")
      const form = page.getByRole("form", { name: "Block" })
      await tray.getByText("Waiting").waitFor()
      const command = { do: "block_task", task: story.tasks[3]?.id, reason: "the new key" }
      await until(() => server.commands).toEqual([command])
      const refused = { what: "It is done.", why: "A done task waits for nothing.", use_instead: "" }
      server.settle({ id: "command-1", state: "refused", ...refused })
      // The reason stands where the words do, and those are kept.
      await form.getByText("A done task waits for nothing.").waitFor()
      expect(await form.getByRole("textbox").inputValue()).toBe("the new key")
      expect(await tray.count()).toBe(0)
      await until(() => page.getByRole("status").textContent()).toContain("Refused: Block")
      await form.getByRole("button", { name: "Cancel" }).click()
      await page.getByRole("button", { name: "Move down" }).click()
      await tray.getByText("Waiting").waitFor()
      await until(() => server.commands.length).toBe(2)
      // No connection: the page asks once there is one again.
      server.hangUp()
      server.settle({ id: "command-2", state: "done", what: null, why: null, use_instead: null })
      await tray.getByText("Applied").waitFor()
      // One note at a time, never over the sheet, and Escape takes it away before the sheet.
      for (const id of ["command-3", "command-4"]) {
        await page.getByRole("button", { name: "Move down" }).click()
        await until(() => server.commands.length).toBe(Number(id.slice(-1)))
        server.settle({ id, state: "refused", what: "No.", why: `Of ${id}.`, use_instead: "" })
        await tray.getByText(`Of ${id}.`).waitFor()
      }
      expect(await tray.locator(".change").count()).toBe(1)
      expect(await tray.textContent()).toContain("and 1 more, under Health")
      const [note, sheet] = [await tray.boundingBox(), await page.getByRole("dialog").boundingBox()]
      expect((note?.x ?? 0) + (note?.width ?? 0)).toBeLessThanOrEqual(sheet?.x ?? 0)
      await page.keyboard.press("Escape")
      await page.keyboard.press("Escape")
      await until(() => tray.count()).toBe(0)
      expect(await page.getByRole("dialog").count()).toBe(1)
    })

    it("offers only possible actions: a decision if one is open, no unblocking of a task that waits for another", async () => {
      const [waitsForTask, waitsForDecision] = [story.tasks[5]?.id, story.tasks[6]?.id]
      await visit(`#/plans?open=task:${waitsForTask}`)
      await page.getByRole("button", { name: "Open that task" }).waitFor()
      expect(await page.getByRole("button", { name: "Unblock" }).count()).toBe(0)
      await goTo(`/plans?open=task:${waitsForDecision}`)
      await page.getByRole("button", { name: "Decide…" }).waitFor()
      await page.getByRole("button", { name: "Open the decision" }).click()
      await page.getByRole("dialog", { name: "Decision" }).getByText("Still open").waitFor()
      // A superseded decision is over, even if it is marked as open.
      const asked = told.mems[5]
      if (asked !== undefined) asked.status = "superseded"
      server.change()
      await page.getByRole("dialog").getByText("Superseded").waitFor()
      expect(await page.getByRole("dialog").getByText("Still open").count()).toBe(0)
    })

    it("follows changes without a reload, and leaves focus, scroll and the open sheet alone", async () => {
      await visit(`#/plans?open=task:${story.tasks[3]?.id}`)
      const sheet = page.getByRole("dialog")
      await sheet.getByRole("button", { name: "Edit…" }).click()
      await sheet.getByRole("textbox", { name: "Title" }).fill("half-typed")
      const column = page.locator(".column").first()
      const task = told.planView.tasks[4]
      if (task !== undefined) task.status = "completed"
      server.change()
      await until(() => column.locator("h2").textContent()).toBe("Planned 3")
      expect(await sheet.getByRole("textbox", { name: "Title" }).inputValue()).toBe("half-typed")
      expect(await page.evaluate("document.activeElement?.getAttribute('name')")).toBe("title")
    })

    it("a hidden page closes its connection, and catches up when it is visible again", async () => {
      await visit("#/plans")
      const see = (isHidden: boolean) =>
        page.evaluate(
          `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
        )
      await see(true)
      await until(() => server.listening()).toBe(0)
      const task = told.planView.tasks[4]
      if (task !== undefined) task.status = "completed"
      await see(false)
      await until(() => page.locator(".column h2").first().textContent()).toBe("Planned 3")
    })

    it("says what to do after the server has stopped, in each view and without Loading for ever", async () => {
      await visit("", { expected: /^Failed to load resource: net::ERR_/ })
      await server.close()
      await page.getByRole("alert").getByText("The server has stopped.").waitFor()
      for (const view of ["memory", "timeline", "plans", "context", "health"]) {
        await page.evaluate(`location.hash = "#/${view}"`)
        await page.getByText("The server cannot be reached.").waitFor()
        expect(await page.locator(".loading").count(), view).toBe(0)
      }
    })

    it("can be used by keyboard alone", async () => {
      await visit()
      await page.keyboard.press("Tab")
      await until(focused).toContain("Skip to the content")
      await page.keyboard.press("Enter")
      await until(focused).toBe("Now")
      await page.keyboard.press("g")
      await page.keyboard.press("p")
      await page.locator(".task-card").first().waitFor()
      await until(focused).toBe("Plans")
      for (let tabs = 0; tabs < 8 && !(await focused()).includes("Refuse a cookie"); tabs++)
        await page.keyboard.press("Tab")
      await page.keyboard.press("ArrowDown")
      await until(focused).toContain("Let a reset link work once only")
      await page.keyboard.press("Enter")
      await page.getByRole("dialog").waitFor()
      await until(focused).toBe("Let a reset link work once only")
      await page.keyboard.press("Escape")
      await until(() => page.getByRole("dialog").count()).toBe(0)
      await until(focused).toMatch(/Let a reset link work once only.*Recovery/)
      await page.keyboard.press("g")
      await page.keyboard.press("m")
      await page.locator(".mem-card").first().waitFor()
      await page.keyboard.press("/")
      await until(() => page.evaluate("document.activeElement?.type")).toBe("search")
      await page.keyboard.type("mail")
      await page.getByText("1 mem found").waitFor()
      await goTo("/plans?as=graph")
      await page.locator(".node").first().focus()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.getByRole("dialog").waitFor()
    })

    it("runs no stored text as code", async () => {
      const hostile = [
        '<img src=x onerror="alert(1)"><script>alert(2)</script>',
        "[click](javascript:alert(3)) javascript:alert(4)",
        "W".repeat(4_000),
        "\u202Egnp.exe\u202C \u2066isolated\u0000",
      ]
      const mems = story.mems.slice(0, 4).map((mem, at) => {
        const content = hostile[at] ?? ""
        return { ...mem, id: `${at}`, content, tags: [content.slice(0, 60)] }
      })
      await visit("", { told: { mems } })
      const [first] = told.planView.tasks
      if (first !== undefined) first.title = hostile[0] ?? ""
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 740 })
        await goTo("/memory")
        await page.getByText("<img src=x onerror").first().waitFor()
        expect(await sideways()).toBe(0)
        for (const at of [0, 1, 2, 3]) {
          await goTo(`/memory?open=mem:${at}`)
          await page.getByRole("dialog").locator(".lead").waitFor()
          expect(await sideways()).toBe(0)
        }
      }
      await visit("#/plans?as=graph")
      await page.locator(".node").first().waitFor()
      const active = "main img, main script, main iframe, a[href^=javascript]"
      expect(await page.locator(active).count()).toBe(0)
    })

    it("needs no sideways scrolling on a phone", async () => {
      await visit("", { context: { viewport: { width: 360, height: 740 } } })
      for (const view of [...VIEWS, "plans?as=graph", `plans?open=task:${story.tasks[3]?.id}`]) {
        await goTo(`/${view.toLowerCase()}`)
        expect(await sideways(), view).toBe(0)
      }
    })

    it.each(["light", "dark"] as const)(
      "has no accessibility violations found by axe in %s",
      async (colorScheme) => {
        await visit("", { context: { colorScheme, bypassCSP: true } })
        await page.addScriptTag({ content: axe.source })
        // In the dark only the colours are others.
        const rules = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {}
        const opened = [`plans?open=task:${story.tasks[3]?.id}`, `memory?open=mem:${story.mems[0]?.id}`]
        for (const view of [...VIEWS, "plans?as=graph", ...opened]) {
          await goTo(`/${view.toLowerCase()}`)
          if (view.includes("open=")) await page.locator(".sheet .part").first().waitFor()
          const found = await page.evaluate<unknown>(
            `axe.run(document, ${JSON.stringify(rules)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html.slice(0, 140) + ' ' + node.failureSummary).join(' | ')))`,
          )
          expect(found, view).toEqual([])
        }
      },
    )

    it("draws 5,000 tasks and 20,000 mems a page at a time", async () => {
      await visit("#/plans", { answers: manyAnswers(5_000, 20_000) })
      expect(await page.locator(".task-card").count()).toBe(100)
      await page.getByRole("button", { name: "Show more (4,900)" }).click()
      await until(() => page.locator(".task-card").count()).toBe(200)
      await goTo("/plans?as=graph")
      await page.locator(".node").first().waitFor()
      expect(await page.locator(".node").count()).toBeLessThanOrEqual(300)
      expect(await text("figcaption")).toContain("300 of 5,000 linked tasks")
      await goTo("/memory")
      expect(await page.locator(".mem-card").count()).toBe(50)
      await page.getByRole("button", { name: "Show more (19,950)" }).click()
      await until(() => page.locator(".mem-card").count()).toBe(100)
      await page.getByRole("searchbox").fill("mem 19998")
      await page.getByText("1 mem found").waitFor()
    })

    function sideways(): Promise<number> {
      return page.evaluate<number>(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth",
      )
    }
  },
)
