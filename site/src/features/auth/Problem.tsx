import { Notice } from '../../ui/Notice.tsx'

/** What went wrong with a form as a whole; the region is there before it is filled, so that it is read out. */
export function Problem({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className="form-problem">
      {text && <Notice tone="danger">{text}</Notice>}
    </div>
  )
}
