import { Icon } from "./icon.tsx"

/** For whoever has neither a wheel nor two fingers. */
export function ZoomButtons({ onZoom, onFit }: { onZoom(by: number): void; onFit(): void }) {
  return (
    <div class="diagram-buttons">
      <button type="button" class="icon-button" aria-label="Zoom in" onClick={() => onZoom(0.8)}>
        <Icon name="plus" />
      </button>
      <button type="button" class="icon-button" aria-label="Zoom out" onClick={() => onZoom(1.25)}>
        <Icon name="minus" />
      </button>
      <button type="button" class="icon-button" aria-label="Show all" onClick={onFit}>
        <Icon name="fit" />
      </button>
    </div>
  )
}
