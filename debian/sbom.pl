#!/usr/bin/perl
# sbom.pl PROGRAM... - prints the programs' bill of materials as CycloneDX 1.5 in JSON: each program, the Debian
# packages whose libraries it loads, the package's other dependencies, and files copied from other projects. The same
# programs give the same bytes.
use strict;
use warnings;
use Cwd qw(realpath);
use Digest::SHA;
use File::Basename;
use JSON::PP;

sub lines_of {
    my ($path) = @_;
    open(my $file, '<:encoding(UTF-8)', $path) or die "$path: $!\n";
    chomp(my @lines = <$file>);
    return @lines;
}

sub output_of {
    my (@command) = @_;
    open(my $pipe, '-|', @command) or die "$command[0]: $!\n";
    chomp(my @lines = <$pipe>);
    close($pipe) or die "@command: failed\n";
    return @lines;
}

my (%components, %needs);

sub component {
    my ($ref, %members) = @_;
    $components{$ref} //= {'bom-ref' => $ref, %members};
    return $ref;
}

# ---- Debian packages ----

# Linked statically into each program.
my @static = output_of('gcc', '-print-file-name=libboost_context.a');

# Returns the paths of the libraries that a program loads, and those of @static.
sub libraries_of {
    my ($program) = @_;
    return (@static, map { m{(/\S+) \(0x} ? $1 : () } output_of('ldd', $program));
}

# Returns the package of each file, in one query: dpkg knows a path either below /lib or below /usr/lib.
sub owners_of {
    my (%path, %owner) = map { my $real = realpath($_); ($real => $_, $real =~ s{^/usr}{}r => $_, "/usr$real" => $_) } @_;
    for (qx(dpkg-query -S @{[map { quotemeta } sort keys %path]} 2>/dev/null)) {
        my ($package, $path) = /^([^:]+).*: (\S+)$/ or next;
        $owner{$path{$path}} = $package;
    }
    for (@_) { die "$_: no package of Debian has it\n" unless $owner{$_} }
    return %owner;
}

# Adds components of packages; returns their references by name.
sub package_components {
    my %refs;
    for (output_of('dpkg-query', '-W', '-f',
        '${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\n', @_)) {
        my ($package, $version, $architecture, $source, $source_version) = split / /;
        my $escaped = $version =~ s/([^A-Za-z0-9.~_-])/sprintf '%%%02X', ord $1/ger;
        my $purl = "pkg:deb/debian/$package\@$escaped?arch=$architecture";
        $refs{$package} = component($purl, type => 'library', name => $package, version => $version, purl => $purl,
            properties => [{name => 'debian:source', value => "$source $source_version"}]);
    }
    return %refs;
}

# ---- copied files ----

# The license of each file by its SPDX identifier, as in debian/copyright.
my (%licence, @files);
for (lines_of('debian/copyright')) {
    if (/^Files: (.*)/) {
        @files = split / /, $1;
    } elsif (/^License: (.*)/) {
        $licence{$_} = $1 eq 'Expat' ? 'MIT' : $1 for @files;
        @files = ();
    }
}

sub npm_component {
    my ($path, $type, $name, $version) = @_;
    my $purl = "pkg:npm/$name\@$version";
    component($purl, type => $type, name => $name, version => $version, purl => $purl,
        licenses => [{license => {id => $licence{$path} // die "debian/copyright: no licence of $path\n"}}],
        properties => []);
    push @{$components{$purl}{properties}},
        {name => "atrium:sha256:$path", value => Digest::SHA->new(256)->addfile($path, 'b')->hexdigest};
    return $purl;
}

sub vendored {
    my @refs;
    for (lines_of('web/console/vendor/LICENSES')) {
        my ($file, $name, $version) = /^    (\S+)\s+(\S+) (\S+), \S+$/ or next;
        push @refs, npm_component("web/console/vendor/$file", 'library', $name, $version);
    }
    return @refs;
}

sub lists {
    my @refs;
    for my $path (sort glob 'authd/data/*.txt') {
        for (lines_of($path)) {
            last unless /^#/;
            my ($name, $version) = /^# from the npm package (\S+) (\S+), license/ or next;
            push @refs, npm_component($path, 'data', $name, $version);
        }
    }
    return @refs;
}

# ---- the document ----

my @programs = sort { basename($a) cmp basename($b) } @ARGV or die "usage: sbom.pl PROGRAM...\n";
my ($version, $made) = map { /^atrium \((.*?)\)/ || /^ -- .*>  (.*)/ ? $1 : () } lines_of('debian/changelog');
my ($depends) = map { /^Depends: (.*)/ } lines_of('debian/control');

my %loaded = map { $_ => [libraries_of($_)] } @programs;
my %owner = owners_of(keys %{{map { $_ => 1 } map { @$_ } values %loaded}});
my %package = package_components(keys %{{map { $_ => 1 } values %owner}});

for my $path (@programs) {
    my $name = component(basename($path), type => 'application', name => basename($path), version => $version);
    $needs{$name} = {map { $package{$owner{$_}} => 1 } @{$loaded{$path}}};
    $needs{atrium}{$name} = 1;
}
# The package's other dependencies. The installing machine chooses their versions.
for (map { s/[ (].*//r } grep { !/^\$/ } split /, */, $depends) {
    my $purl = "pkg:deb/debian/$_";
    $needs{atrium}{component($purl, type => 'application', name => $_, purl => $purl)} = 1;
}
$needs{'atrium-gateway'}{$_} = 1 for vendored();
$needs{'atrium-authd'}{$_} = 1 for lists();

print JSON::PP->new->canonical->pretty->utf8->encode({
    bomFormat => 'CycloneDX',
    specVersion => '1.5',
    version => 1,
    metadata => {
        timestamp => output_of('date', '-u', '-d', $made, '+%Y-%m-%dT%H:%M:%SZ'),
        component => {'bom-ref' => 'atrium', type => 'application', name => 'atrium', version => $version,
            licenses => [{license => {id => 'Apache-2.0'}}]},
    },
    components => [map { $components{$_} } sort keys %components],
    dependencies => [map { {ref => $_, dependsOn => [sort keys %{$needs{$_}}]} } sort keys %needs],
});
