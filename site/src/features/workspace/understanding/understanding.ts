import { onMount } from 'nanostores'
import { understand } from '#backend/tasks/contract.ts'
import { call } from '../../../api/api.ts'
import { pageLocale } from '../../../i18n/client.ts'
import { $generation, readForm } from '../generation.ts'
import { $demo } from '../workspace.ts'
import { $understanding } from './understood.ts'

export { $understanding }

const WAIT_MS = 450

/** Asks once typing pauses. Only the answer to the latest prompt counts; without one, the form says nothing. */
onMount($understanding, () => {
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = ''
  const ask = () => {
    const form = $generation.get()
    const { text } = readForm(form)
    const isDrawn = $demo.get() && text !== '' && form.taskType === 'text_to_video'
    const question = isDrawn ? `${form.model}/${text}` : ''
    if (question === asked) return
    asked = question
    clearTimeout(timer)
    if (!isDrawn) return $understanding.set(null)
    timer = setTimeout(async () => {
      const answer = await call(understand, {
        body: { prompt: text, model: form.model, language: pageLocale() },
      }).catch(() => null)
      if (question === asked) $understanding.set(answer)
    }, WAIT_MS)
  }
  const stop = [$generation.subscribe(ask), $demo.subscribe(ask)]
  return () => {
    clearTimeout(timer)
    asked = ''
    for (const unsubscribe of stop) unsubscribe()
  }
})
