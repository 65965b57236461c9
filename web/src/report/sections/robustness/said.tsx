// What a result says of itself in sentences: warnings and notes.

export function Said({ texts }: { texts: string[] }) {
  if (texts.length === 0) return null;
  return (
    <ul class="note">
      {texts.slice(0, 100).map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
