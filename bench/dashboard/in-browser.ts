import type { Browser, Page } from "playwright-core"

/** What a reader waits for, in ms. */
export interface Seen {
  /** From the address to the first thing on the screen, and to the thread of the work. */
  paint: number
  now: number
  /** From the last letter to what was found, without the pause in which the page waits for the next letter. */
  search: number
  /** The longest the page was busy in one go while somebody typed. */
  typing: number
  /** From the click to the drawn graph. */
  graph: number
  /** How far apart the pictures are while it is moved and zoomed: nineteen of twenty are nearer. */
  frame: number
}

/** Looks at a project as a reader does: opens it, searches letter by letter, and moves the graph of its plan. */
export async function look(browser: Browser, url: string): Promise<Seen> {
  const page = await browser.newPage({ locale: "en-GB", viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(30_000)
  try {
    const began = performance.now()
    await page.goto(url)
    await page.locator(".thread, .empty").first().waitFor()
    const now = performance.now() - began
    const paint = await page.evaluate<number>(
      "new Promise((resolve) => new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').forEach(({ startTime }) => resolve(startTime))).observe({ type: 'paint', buffered: true }))",
    )
    // Nothing of the first view is measured with the next one.
    await page.locator(".is-live").waitFor()
    return { paint, now, ...(await typed(page)), ...(await moved(page)) }
  } finally {
    await page.close()
  }
}

async function typed(page: Page): Promise<Pick<Seen, "search" | "typing">> {
  await page.keyboard.press("g")
  await page.keyboard.press("m")
  await page.locator(".mem-card").first().waitFor()
  await page.evaluate(
    "window.busy = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.busy = Math.max(window.busy, duration)))).observe({ type: 'longtask' })",
  )
  await page.keyboard.press("/")
  await page.locator("input[type=search]:focus").waitFor()
  const search: number[] = []
  for (const words of ["harbour", " ferry", " ticket"]) {
    const answer = page.waitForResponse((each) => each.url().includes(words.trim()))
    await page.keyboard.type(words, { delay: 30 })
    const last = performance.now()
    await (await answer).finished()
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
    )
    search.push(performance.now() - last - RESTS_MS)
  }
  // Whatever is shorter than 50 ms is no long task; it may have taken as long.
  return { search: middle(search), typing: Math.max(50, await page.evaluate<number>("window.busy")) }
}

async function moved(page: Page): Promise<Pick<Seen, "graph" | "frame">> {
  await page.keyboard.press("Escape")
  await page.evaluate("location.hash = '#/plans'")
  await page.locator(".task-card").first().waitFor()
  const began = performance.now()
  await page.getByRole("button", { name: "Graph" }).click()
  await page.locator(".diagram .node").first().waitFor()
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
  const graph = performance.now() - began
  const box = await page.locator(".diagram").boundingBox()
  const [x, y] = [(box?.x ?? 0) + 300, (box?.y ?? 0) + 150]
  await page.evaluate(
    "window.frames_ = []; { let last = performance.now(); const next = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(next) }; requestAnimationFrame(next) }",
  )
  await page.mouse.move(x, y)
  await page.mouse.down()
  for (let step = 1; step <= 30; step++) await page.mouse.move(x + step * 8, y + step * 3)
  await page.mouse.up()
  for (let step = 0; step < 20; step++) await page.mouse.wheel(0, step < 10 ? -120 : 120)
  const frames = (await page.evaluate<number[]>("frames_")).toSorted((a, b) => a - b)
  return { graph, frame: frames[Math.floor(frames.length * 0.95)] ?? Number.NaN }
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

const RESTS_MS = 150
