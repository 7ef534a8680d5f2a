import type { Task } from '#backend/tasks/contract.ts'
import { translate } from '../../i18n/client.ts'
import { lengthText } from '../../i18n/lengthText.ts'
import { taskTitle } from '../../i18n/taskTitle.ts'
import { drawIcon } from '../../ui/closeIcon.ts'
import { ICONS } from '../../ui/icons.ts'
import { part } from '../../ui/part.ts'
import type { Place } from './justifyRows.ts'

/** What a tile shows beside its video. `selected` is undefined while no videos can be selected. */
export interface TileState {
  readonly favourite: boolean
  readonly selected: boolean | undefined
}

/** A video of the grid. It is made without React, which needs several times the time for each tile. */
export type Tile = ReturnType<typeof createTile>

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), { className, ...properties })
  made.append(...children)
  return made
}

let model: HTMLLIElement | undefined

/** Returns a copy of a tile without a video. Copying is faster than building. */
function copyModel(): HTMLLIElement {
  model ??= element(
    'li',
    'library-tile',
    {},
    element(
      'button',
      'library-open',
      { type: 'button' },
      element('img', 'cover', { alt: '', decoding: 'async' }),
      element('span', 'library-caption ellipsis', {}, element('small', '')),
    ),
    element('button', 'library-heart middle', { type: 'button' }, drawIcon(ICONS.heart)),
  )
  model.setAttribute('aria-setsize', '-1')
  return model.cloneNode(true) as HTMLLIElement
}

/** Builds the elements of a tile: its title, the button that opens the video, and the heart. */
function buildTile(task: Task) {
  const t = translate()
  const title = taskTitle(task)
  const item = copyModel()
  const [open, heart] = [part('.library-open', item), part('.library-heart', item)]
  const [image, caption] = [part<HTMLImageElement>('img', open), part('.library-caption', open)]
  item.dataset.task = task.id
  const length = lengthText(task.video_duration ?? task.duration, t)
  const shown = task.by ? t('library.by', { name: task.by.name }) : task.visibility === 'team' && t('library.shared')
  const facts = [length, task.resolution, shown].filter(Boolean).join(' · ')
  open.setAttribute('aria-label', `${t('works.play', { title })} ${facts}`)
  heart.setAttribute('aria-label', t('library.favourite', { title }))
  caption.prepend(`${title} `)
  part('small', caption).textContent = facts
  // Favourites are marks of own videos.
  heart.hidden = task.by !== null
  if (task.thumbnail_url) image.src = task.thumbnail_url
  else image.remove()
  return { item, title, open, heart, caption }
}

/** Creates the tile of a video. */
export function createTile(task: Task) {
  const { item, title, open, heart, caption } = buildTile(task)
  let corner = heart
  let pick: HTMLInputElement | undefined
  let placed: Place | undefined
  let video: HTMLVideoElement | undefined
  let waiting = 0

  /** Shows a checkbox in place of the heart, or the heart again. */
  const setSelected = (selected: boolean | undefined) => {
    const selecting = selected !== undefined
    if (selecting !== Boolean(pick)) {
      pick = selecting ? element('input', '', { type: 'checkbox', ariaLabel: title }) : undefined
      const before = corner
      corner = pick ? element('label', 'library-pick middle', {}, pick) : heart
      before.replaceWith(corner)
      open.toggleAttribute('inert', selecting)
      if (!selecting) delete item.dataset.selected
    }
    if (!pick || selected === undefined) return
    pick.checked = selected
    item.dataset.selected = String(selected)
  }

  return {
    item,
    task,

    /** @param position from 1 */
    place(place: Place, position: number): void {
      item.setAttribute('aria-posinset', String(position))
      if (place === placed) return
      placed = place
      for (const side of ['top', 'left', 'width', 'height'] as const) item.style[side] = `${place[side]}px`
    },

    show({ favourite, selected }: TileState): void {
      heart.setAttribute('aria-pressed', String(favourite))
      setSelected(selected)
    },

    /** Plays the video if the pointer or the focus rests on the tile. */
    play(): void {
      // A slow device may play one video that the user points at.
      const src = task.video_url
      if (!src || matchMedia('(prefers-reduced-motion: reduce)').matches) return
      clearTimeout(waiting)
      waiting = window.setTimeout(() => {
        const clip = { src, muted: true, loop: true, playsInline: true, autoplay: true, tabIndex: -1 }
        video ??= element('video', 'cover', { ...clip, disablePictureInPicture: true, ariaHidden: 'true' })
        caption.before(video)
      }, REST_MS)
    },

    rest(): void {
      clearTimeout(waiting)
      video?.remove()
      video = undefined
    },
  }
}

/** How long the pointer rests before a clip loads, ms. Tiles that scroll past load none. */
const REST_MS = 150
