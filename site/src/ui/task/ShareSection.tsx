import { useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Share, Task } from '#backend/tasks/contract.ts'
import { errorText } from '../../api/errorText.ts'
import { readShare, type Shown, shareVideo, unshareVideo } from '../../api/share.ts'
import { translate } from '../../i18n/client.ts'
import { Button } from '../Button.tsx'
import { RetryNotice } from '../RetryNotice.tsx'
import { showToast } from '../toasts/toasts.ts'
import { useBusy } from '../useBusy.ts'

/** Shares a finished video, shows its address, and ends the share. */
export function ShareSection({ task }: { task: Task }) {
  const t = translate()
  const [share, setShare] = useState<Share | null | 'failed'>()
  const [busy, run] = useBusy()
  const box = useRef<HTMLDivElement>(null)
  const load = useCallback(() => readShare(task.id).then(setShare, () => setShare('failed')), [task.id])
  useEffect(() => void load(), [load])

  const apply = (next: Share | null) => {
    flushSync(() => setShare(next))
    // The button that was pressed is gone when a share begins or ends.
    if (document.activeElement === document.body) box.current?.querySelector<HTMLElement>('input, button')?.focus()
  }
  // One change at a time: one that overtook the end of the share would share the video again.
  const change = (action: () => Promise<Share | null>) =>
    busy || run(() => action().then(apply, (error) => showToast('danger', errorText(error))))
  const show = (shown: Partial<Shown>) => change(() => shareVideo(task.id, shown))
  const end = () => change(() => unshareVideo(task.id).then(() => null))
  const copy = (url: string) =>
    navigator.clipboard.writeText(url).then(
      () => showToast('success', t('share.copied')),
      () => showToast('info', t('share.copyField')),
    )

  if (share === 'failed') return <RetryNotice tone="danger" text={t('share.failed')} onRetry={load} />
  if (!share)
    return (
      <div ref={box}>
        {/* Takes its place before it is known, so that the dialog around it does not move. */}
        <p className="row hint" style={{ visibility: share === null ? 'visible' : 'hidden' }}>
          <span>{t('share.off')}</span>
          <Button label={t('share.start')} variant="outline" icon="upload" busy={busy} onClick={() => show({})} />
        </p>
      </div>
    )
  return (
    <section className="stack card share" aria-label={t('share.heading')} aria-busy={busy} ref={box}>
      <p className="row">
        <input className="input share-address grow" aria-label={t('share.address')} value={share.url} readOnly />
        <Button label={t('share.copy')} variant="primary" onClick={() => copy(share.url)} />
      </p>
      <p className="row hint">
        <span>{t('share.anyone')}</span>
        <span>{t('share.views', { count: share.views })}</span>
      </p>
      <Choice label={t('share.showPrompt')} on={share.show_prompt} choose={(on) => show({ show_prompt: on })} />
      <Choice label={t('share.showName')} on={share.show_name} choose={(on) => show({ show_name: on })} />
      <Button label={t('share.end')} variant="quiet" busy={busy} onClick={end} />
    </section>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly on: boolean
  readonly choose: (on: boolean) => void
}

const Choice = ({ label, on, choose }: ChoiceProps) => (
  <label className="line switch">
    <span>{label}</span>
    <input type="checkbox" checked={on} onChange={(event) => choose(event.target.checked)} />
  </label>
)
