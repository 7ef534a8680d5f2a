/** Figures with their names, a size below the cards. */
export function Facts({ facts }: { facts: readonly { readonly name: string; readonly value: string }[] }) {
  return (
    <dl className="board-facts">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
