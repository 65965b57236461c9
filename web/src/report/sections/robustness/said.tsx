// The warnings and notes of a result.

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
