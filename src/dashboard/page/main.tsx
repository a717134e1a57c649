import { render } from "preact"
import type { NowView } from "../model.ts"

const now: NowView = await (await fetch("/api/now")).json()
render(<h1>{now.project.name}</h1>, document.body)
