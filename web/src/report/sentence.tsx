// A message of the program. Text in `marks` is shown as code.

export function Sentence({ text }: { text: string }) {
  const parts = text.split("`");
  // A single mark without a second one is an ordinary character.
  if (parts.length % 2 === 0) return <>{text}</>;
  return <>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}
