/** Keyboard shortcuts of the workspace. */
import { useLayoutEffect } from 'react'
import type { Task } from '#backend/tasks/contract.ts'
import { downloadVideo } from '../../../api/taskActions.ts'
import { isFinal, readStatus } from '../../../api/taskProgress.ts'
import { typedKey } from '../../../ui/keys/typedKey.ts'
import { stepFrame, togglePlay } from '../../../ui/task/playback.ts'
import { generateAgain, startRemix } from '../remix.ts'
import type { TaskView } from '../TaskActions.tsx'
import { continueFrom } from './continueFrom.ts'
import { $singleKeys } from './singleKeys.ts'
import { $current, stepTake } from './takes.ts'
import { $theatre, setTheatre } from './theatre.ts'

interface Openers {
  readonly onView: (view: TaskView) => void
  readonly onHelp: () => void
}

const film = () => document.querySelector<HTMLVideoElement>('video#film')
function play(): void {
  const video = film()
  if (video) togglePlay(video)
}

/** The action of each key; those of the second table need a finished take. */
const always = ({ onHelp }: Openers): Readonly<Record<string, () => void>> => ({
  '?': onHelp,
  '/': () => document.getElementById('prompt')?.focus(),
  ' ': play,
  arrowleft: () => stepTake(-1),
  arrowright: () => stepTake(1),
  arrowup: () => stepFrame(film(), -1),
  arrowdown: () => stepFrame(film(), 1),
  c: () => document.querySelector<HTMLButtonElement>('.movements-button')?.click(),
  f: () => void film()?.parentElement?.requestFullscreen?.(),
  t: () => setTheatre(!$theatre.get()),
})
const ofTake = (task: Task, { onView }: Openers): Readonly<Record<string, () => void>> => ({
  u: () => startRemix(task),
  ...(isFinal(task) ? { r: () => void generateAgain(task), delete: () => onView({ kind: 'remove', task }) } : {}),
  ...(readStatus(task.status) === 'Success'
    ? { d: () => void downloadVideo(task), e: () => void continueFrom(task) }
    : {}),
})

const INTERACTIVE = 'input, textarea, select, video, [contenteditable], [role="tab"], dialog'

/** Returns whether a key that is pressed on an element belongs to that element. */
function belongsTo(target: EventTarget | null, key: string): boolean {
  if (document.querySelector('dialog[open]')) return true
  if (!(target instanceof Element)) return false
  return target.closest(INTERACTIVE) !== null || (key === ' ' && target.closest('button, a, summary') !== null)
}

/** Runs the shortcut of a key. A held key acts once, except that the arrow keys go on. */
export function handleKey(event: KeyboardEvent, openers: Openers): void {
  const typed = typedKey(event)
  if (event.defaultPrevented || typed === undefined || document.querySelector('dialog[open]')) return
  if (typed === 'Enter' && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    // Each submission costs credits. A held key repeats after the first one has ended.
    if (!event.repeat) document.querySelector<HTMLFormElement>('form.generation')?.requestSubmit()
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !$singleKeys.get()) return
  if (belongsTo(event.target, typed)) return
  const task = $current.get()
  const actions = { ...always(openers), ...(task ? ofTake(task, openers) : {}) }
  const key = typed.toLowerCase()
  const act = actions[key]
  if (!act) return
  event.preventDefault()
  if (!event.repeat || key.startsWith('arrow')) act()
}

export function useKeys(openers: Openers): void {
  // A layout effect: keys are obeyed as soon as the stage can be seen.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => handleKey(event, openers)
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  })
}
