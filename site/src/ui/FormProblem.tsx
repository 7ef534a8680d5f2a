import { Notice } from './Notice.tsx'

/** Announces an error of the whole form. The live region starts empty, because screen readers announce only changes. */
export function FormProblem({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className="form-problem">
      {text && <Notice tone="danger">{text}</Notice>}
    </div>
  )
}
