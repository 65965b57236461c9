// The toggle of light and darkmode on both pages.

export function ThemeButton({ name, press }: { name: string; press: () => void }) {
  return (
    <button type="button" class="icon" aria-label={name} title={name} onClick={press}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="8.5" fill="none" />
        <path d="M12 3.5a8.5 8.5 0 0 1 0 17z" />
      </svg>
    </button>
  );
}
