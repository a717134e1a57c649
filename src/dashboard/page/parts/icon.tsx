/** An icon, drawn on a grid of 16 units. Screen readers skip it, because there is always text beside it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}

const PATHS = {
  now: "M8 2v2M8 12v2M2 8h2M12 8h2M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5",
  plans: "M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z",
  memory: "M3 3.5c2-1 4-.5 5 .7c1-1.2 3-1.7 5-.7v9c-2-1-4-.5-5 .7c-1-1.2-3-1.7-5-.7zM8 4.2v9",
  timeline: "M4 2v12M4 4.5h8M4 8h5.5M4 11.5h7",
  context: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2zM5 6h6M5 8.2h4",
  health: "M2 8.5h3l1.5-4l3 7l1.5-3h3",
  planned: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10",
  active: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10M6.8 5.8v4.4l3.6-2.2z",
  review: "M2 8c2-3.6 10-3.6 12 0c-2 3.6-10 3.6-12 0M8 6.4a1.6 1.6 0 1 0 0 3.2a1.6 1.6 0 1 0 0-3.2",
  blocked: "M5 2.8h6l2.2 2.7v5L11 13.2H5l-2.2-2.7v-5zM5.5 8h5",
  completed: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10M5.7 8.2l1.6 1.7l3-3.5",
  failed: "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10M6.2 6.2l3.6 3.6M9.8 6.2l-3.6 3.6",
  warning: "M8 2.8l5.8 10H2.2zM8 6.5v3M8 11v.4",
  good: "M3 8.5l3.2 3.2l6.8-7",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 2.8a4.2 4.2 0 1 0 0 8.4a4.2 4.2 0 1 0 0-8.4M10.2 10.2l3.3 3.3",
  undo: "M6 3.5L3 6.5l3 3M3 6.5h6.5a3.2 3.2 0 0 1 0 6.4H7",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
} as const

export type IconName = keyof typeof PATHS
