#!/usr/bin/perl
# check_texts.pl FOLDER - each text of the console's sources is there in each language, with the same {values}, and no
# other is. A text is what stands in t('...') or N('...').
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my $folder = $ARGV[0] // die "usage: check_texts.pl FOLDER\n";
my (%used, $bad);

sub slurp { open my $file, '<', $_[0] or die "$_[0]: $!\n"; local $/; return <$file> }

for my $path (glob "$folder/*.js $folder/lib/*.js $folder/screens/*.js") {
    my $text = slurp($path);
    while ($text =~ /\b[tN]\(\s*'((?:[^'\\]|\\.)*)'/g) {
        (my $words = $1) =~ s/\\(.)/$1/g;
        $used{$words} //= $path;
    }
}
for my $language (qw(de es)) {
    my (%has, $line);
    for (split /\n/, slurp("$folder/text/$language.json")) {
        $line++;
        next unless /^\s*"((?:[^"\\]|\\.)*)":\s*"((?:[^"\\]|\\.)*)",?$/;
        my ($words, $text) = ($1, $2);
        s/\\(.)/$1/g for $words, $text;
        print "$language.json:$line: twice: $words\n" and $bad = 1 if $has{$words};
        $has{$words} = $text;
        print "$language.json:$line: not used: $words\n" and $bad = 1 unless $used{$words};
        my ($want, $have) = map { join ' ', sort /\{\w+\}/g } $words, $text;
        print "$language.json:$line: has '$have', not '$want'\n" and $bad = 1 if $want ne $have;
    }
    for (sort keys %used) {
        print "$used{$_}: not in $language.json: $_\n" and $bad = 1 unless $has{$_};
    }
}
exit($bad ? 1 : 0);
