import type { MovementKey } from '../../../media/movements.ts'
import type { Planes } from '../../../media/planes.ts'
import { part } from '../../../ui/part.ts'
import { isMotionAllowed } from '../motion.ts'
import { loadPainter } from './paintPlanes.ts'
import { chooseMovement, type Pose, poseAt, REACH, REST } from './pose.ts'
import { showMovements } from './showMovements.ts'
import { watchSticks } from './sticks.ts'

const MOVE_MS = 2_800
const PAUSE_MS = 600

/** Moves the picture under the chosen movements, a hovered or focused one, or a dragged stick. */
export async function startRig(section: HTMLElement): Promise<void> {
  if (section.dataset.started !== undefined) return
  section.dataset.started = ''
  const canvas = part<HTMLCanvasElement>('canvas', section)
  const buttons = [...section.querySelectorAll<HTMLButtonElement>('[data-key]')]
  const view = part('[data-planes]', section)
  const moves = isMotionAllowed()
  let chosen: MovementKey[] = []
  let preview: MovementKey | undefined
  let dragged: Pose | undefined
  let since = performance.now()
  let pose = REST
  let paint: ((pose: Pose) => void) | undefined
  let loading: Promise<void> | undefined

  /** Loads the planes: immediately if motion is welcome, else when a control is used. */
  const load = () => {
    loading ??= loadPainter(canvas, JSON.parse(view.dataset.planes ?? '') as Planes).then((painter) => {
      paint = painter
      canvas.dataset.ready = ''
      draw()
    })
    return loading
  }
  const target = (): Pose => {
    if (dragged) return dragged
    const at = performance.now() - since
    const progress = moves ? Math.min(1, (at % (MOVE_MS + PAUSE_MS)) / MOVE_MS) : 1
    return poseAt(preview ? [preview] : chosen, progress, moves ? performance.now() / 1000 : 0)
  }
  const draw = () => {
    pose = mixPoses(pose, target(), moves ? 0.3 : 1)
    paint?.(pose)
  }
  const show = (key: MovementKey | undefined) => {
    preview = key
    since = performance.now()
    view.dataset.preview = key ?? ''
    if (key) void load()
    if (!moves) draw()
  }
  const choose = (key: MovementKey) => {
    chosen = chooseMovement(chosen, key)
    for (const button of buttons) button.ariaPressed = String(chosen.includes(button.dataset.key as MovementKey))
    section.dispatchEvent(new CustomEvent('choose'))
    show(undefined)
    void load()
  }

  for (const button of buttons) watchButton(button, moves, { show, choose })
  watchSticks(section, {
    drag: (axes) => {
      void load()
      const [x, y] = axes.stick === 'move' ? (['truck', 'pedestal'] as const) : (['pan', 'tilt'] as const)
      dragged = { ...REST, dolly: 0.02, [x]: axes.x * REACH[x], [y]: axes.y * REACH[y] }
      if (!moves) draw()
    },
    release: (keys) => {
      dragged = undefined
      for (const key of keys) if (!chosen.includes(key)) choose(key)
    },
  })
  if (moves) drawWhileVisible(view, draw)
  showMovements(section)
  if (moves) await load()
}

/** Returns the pose at a part of the way from one to another. */
function mixPoses(from: Pose, to: Pose, part: number): Pose {
  const mixed = Object.entries(to).map(([axis, value]) => {
    const start = from[axis as keyof Pose]
    return [axis, start + (value - start) * part]
  })
  return Object.fromEntries(mixed) as Pose
}

interface ButtonActions {
  readonly show: (key: MovementKey | undefined) => void
  readonly choose: (key: MovementKey) => void
}

function watchButton(button: HTMLButtonElement, moves: boolean, { show, choose }: ButtonActions): void {
  const key = button.dataset.key as MovementKey
  button.addEventListener('pointerenter', ({ pointerType }) => pointerType === 'mouse' && moves && show(key))
  button.addEventListener('pointerleave', ({ pointerType }) => pointerType === 'mouse' && show(undefined))
  button.addEventListener('focus', () => button.matches(':focus-visible') && moves && show(key))
  button.addEventListener('blur', () => show(undefined))
  button.addEventListener('click', () => choose(key))
}

function drawWhileVisible(view: HTMLElement, draw: () => void): void {
  let visible = false
  const loop = () => {
    if (!visible) return
    draw()
    requestAnimationFrame(loop)
  }
  new IntersectionObserver(([entry]) => {
    const was = visible
    visible = entry?.isIntersecting ?? false
    if (visible && !was) requestAnimationFrame(loop)
  }).observe(view)
}
