import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { once } from '../../api/once.ts'
import { localHref, translate } from '../../i18n/client.ts'
import { Facts } from '../../ui/Facts.tsx'
import { Icon } from '../../ui/Icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { ReceiptLife } from '../../ui/ReceiptLife.tsx'
import { keepPage } from './keepPage.ts'
import { type Charge, readCharge, readPublished } from './ledger.ts'
import { readInWorker } from './reader.ts'
import type { Reading } from './readFile.ts'
import type { Assertion, Judgement, State } from './report.ts'

/** What is on the page about a file. `isKnown`: the certificates of this installation are known. */
interface Checked {
  readonly reading: Reading
  readonly isKnown: boolean
}

const ICONS: Readonly<Record<State, IconName>> = {
  own: 'checkRound',
  other: 'info',
  changed: 'alert',
  none: 'info',
  unreadable: 'alert',
}

let root: Root | undefined
let running: AbortController | undefined

const keep = once(keepPage)

/** Checks a file and shows the result. A file that is given in between takes its place. */
export async function check(file: File, container: Element): Promise<void> {
  const t = translate()
  running?.abort()
  running = new AbortController()
  const { signal } = running
  root ??= createRoot(container)
  const show = (content: React.ReactNode) => !signal.aborted && flushSync(() => root?.render(content))
  show(<p className="verify-wait muted">{t('verify.loading')}</p>)
  const published = await readPublished()
  show(<p className="verify-wait muted">{t('verify.reading', { name: file.name })}</p>)
  const certificates = published?.certificates ?? []
  const reading = await readInWorker(file, certificates.join('\n'), signal).catch(
    (error): Reading => ({
      ...{ state: 'unreadable', failures: [{ code: String(error).slice(0, 200), part: '' }], signer: [] },
      ...{ generator: undefined, agents: [], sources: [], actions: [], assertion: undefined },
      ...{ marks: { aigc: undefined, in: undefined }, sha256: undefined },
    }),
  )
  show(<Result name={file.name} checked={{ reading, isKnown: published !== undefined }} />)
  // Storage may be full or refused.
  void keep().catch(() => {})
}

function Result({ name, checked: { reading, isKnown } }: { name: string; checked: Checked }) {
  const t = translate()
  const { state, signer } = reading
  return (
    <article className="card stack verify-result" data-state={state}>
      <header className="stack">
        <p className="hint verify-name">{name}</p>
        <h2 className="verify-state">
          <Icon name={ICONS[state]} />
          {t(`verify.state.${state}`)}
        </h2>
        <p>{t(`verify.stateText.${state}`, { signer: signer[0] ?? t('verify.unknownSigner') })}</p>
        {state === 'other' && !isKnown && <p className="muted">{t('verify.unknownHere')}</p>}
        {state === 'changed' && <Changes failures={reading.failures} />}
        {state === 'unreadable' && reading.failures[0] && (
          <p className="hint">{t('verify.changed.unknown', { code: reading.failures[0].code })}</p>
        )}
      </header>
      <Facts className="verify-facts" facts={factsOf(reading)} />
      <ChargeOf reading={reading} />
    </article>
  )
}

/** What each fault of the reader means. */
function meaningOf({ code, part }: Judgement['failures'][number]) {
  if (code === 'assertion.hashedURI.mismatch') return part.includes('.kinora.receipt') ? 'receipt' : 'statement'
  if (/^assertion\.(bmff|data|boxes)Hash/.test(code)) return 'content'
  if (/^(claimSignature\.(mismatch|missing)|signingCredential\.invalid|claim\.)/.test(code)) return 'signature'
  if (/^(claimSignature\.outsideValidity|signingCredential\.expired)/.test(code)) return 'expired'
  return 'unknown'
}

function Changes({ failures }: Pick<Judgement, 'failures'>) {
  const t = translate()
  const texts = failures.map((failure) => t(`verify.changed.${meaningOf(failure)}`, { code: failure.code }))
  return (
    <ul className="verify-changes">
      {[...new Set(texts)].map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

const SOURCES = ['trainedAlgorithmicMedia', 'algorithmicMedia'] as const
const isSource = (text: string): text is (typeof SOURCES)[number] => (SOURCES as readonly string[]).includes(text)

/** What Kinora writes of its copies. */
const CHANGES = {
  'A watermark was added.': 'watermark',
  'A label that AI made the video was added.': 'label',
  'The AIGC field was added.': 'field',
} as const

/** Returns the description of an edit, in the language of the page if Kinora wrote it. */
function changesText(description: string): string {
  const t = translate()
  const sentences = description.match(/[^.]+\.?/g)?.map((sentence) => sentence.trim()) ?? []
  const known = sentences.map((sentence) => CHANGES[sentence as keyof typeof CHANGES])
  return known.every(Boolean) ? known.map((change) => t(`verify.change.${change}`)).join(', ') : description
}

function stepText({ action, description }: Judgement['actions'][number]): string {
  const t = translate()
  const name = action.replace(/^c2pa\./, '')
  if (name === 'edited') return t('verify.step.edited', { text: changesText(description ?? '') })
  if (name === 'created' || name === 'opened') return t(`verify.step.${name}`)
  return t('verify.step.other', { text: description ? `${action}: ${description}` : action })
}

function factsOf(reading: Reading) {
  const t = translate()
  const { state, signer, agents, sources, actions, generator, assertion, marks, sha256 } = reading
  const isSigned = state === 'own' || state === 'other' || state === 'changed'
  const producer = marks.aigc?.producer ?? ''
  const found = [
    isSigned && t('verify.mark.c2pa'),
    marks.in === 'mp4' && t('verify.mark.aigcFilm', { producer }),
    marks.in === 'xmp' && t('verify.mark.aigcPicture', { producer }),
  ].filter((mark) => mark !== false)
  const makers = state === 'own' && assertion ? [assertion.engine_model ?? assertion.engine ?? '', ...agents] : agents
  const facts = [
    [t('verify.fact.signer'), signer.join(' · ')],
    [t('verify.fact.maker'), [...new Set(makers.filter(Boolean))].join(' · ')],
    [
      t('verify.fact.kind'),
      sources.map((source) => (isSource(source) ? t(`verify.source.${source}`) : source)).join(' · '),
    ],
    [t('verify.fact.installation'), state === 'own' ? (assertion?.installation ?? '') : ''],
    [t('verify.fact.steps'), actions.map(stepText).join(' → ')],
    [t('verify.fact.generator'), generator ?? ''],
    [t('verify.fact.marks'), found.join(' · ') || t('verify.mark.none')],
    [t('verify.fact.fingerprint'), sha256 ?? ''],
  ] as const
  return facts.filter(([, value]) => value !== '')
}

/** The charge that a file names. Only this installation's signature makes it more than text. */
function ChargeOf({ reading }: { reading: Reading }) {
  const t = translate()
  const { state, assertion } = reading
  if (state === 'other' && assertion) {
    return <p className="notice">{t('verify.receipt.foreign', { installation: assertion.installation })}</p>
  }
  if (state !== 'own') return null
  return (
    <section className="stack verify-charge" aria-labelledby="charge-heading">
      <h3 id="charge-heading">{t('verify.receipt.heading')}</h3>
      {assertion ? <Proof reading={reading} film={assertion} /> : <p>{t('verify.receipt.old')}</p>}
    </section>
  )
}

function Proof({ reading, film }: { reading: Reading; film: Assertion }) {
  const t = translate()
  const [charge, setCharge] = useState<Charge>()
  useEffect(() => {
    void readCharge(film, reading).then(setCharge)
  }, [film, reading])
  if (!charge) return <p className="muted">{t('verify.receipt.loading')}</p>
  if (charge.kind !== 'proven') {
    const says = charge.kind === 'fault' ? charge.fault : charge.kind
    return (
      <p className="verify-fault" data-fault={says}>
        {t(`verify.receipt.${says}`)}
      </p>
    )
  }
  const lines = [
    t('verify.receipt.proven'),
    charge.isConsistent && t('verify.receipt.consistent'),
    t(charge.isOriginal ? 'verify.receipt.delivered' : 'verify.receipt.copy'),
  ].filter((line) => line !== false)
  return (
    <>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
      <ReceiptLife document={charge.document} />
      <p className="only-in">
        <a className="link" href={localHref(`/film/${film.task}`)}>
          {t('verify.receipt.page')}
        </a>
      </p>
    </>
  )
}
